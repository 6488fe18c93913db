#include "app/base/json.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>
#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "app/base/text.hpp"

namespace goldsmith::json {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Offset of the first byte from `from` on that is not part of well-formed UTF-8; text.size() if
// there is none.
std::size_t find_ill_formed(std::string_view text, std::size_t from) {
  rapidjson::MemoryStream stream(text.data() + from, text.size() - from);
  while (stream.Tell() < stream.size_) {
    const std::size_t start = stream.Tell();
    unsigned code_point = 0;
    const bool valid = rapidjson::UTF8<>::Decode(stream, &code_point);
    // In a truncated sequence, the NUL at the end of the stream was read as one of its bytes.
    if (!valid || stream.Tell() > stream.size_) return from + start;
  }
  return text.size();
}

// `text` with U+FFFD for each byte that is not part of well-formed UTF-8. A view of `text`, or of
// `storage` if something was replaced.
std::string_view well_formed(std::string_view text, std::string& storage) {
  if (base::is_ascii(text)) return text;
  std::size_t bad = find_ill_formed(text, 0);
  if (bad == text.size()) return text;
  storage.clear();
  std::size_t done = 0;
  while (bad != text.size()) {
    storage.append(text, done, bad - done);
    storage.append(kReplacementCharacter);
    done = bad + 1;
    bad = find_ill_formed(text, done);
  }
  return storage.append(text, done);
}

// Writes a whole number without a fraction, 0 and not 0.0. Infinities and NaN, which JSON does not
// have, are null.
template <typename Output>
void write_number(Output& writer, double number) {
  constexpr double kExact = 1e15;  // below it, every whole number
  const bool is_negative_zero = number == 0 && std::signbit(number);
  if (!std::isfinite(number)) {
    writer.Null();
  } else if (std::abs(number) < kExact && std::trunc(number) == number && !is_negative_zero) {
    writer.Int64(static_cast<std::int64_t>(number));
  } else {
    writer.Double(number);
  }
}

template <typename Output>
void write_text(Output& writer, std::string_view text, bool is_key) {
  std::string repaired;
  const std::string_view valid = well_formed(text, repaired);
  const auto length = static_cast<rapidjson::SizeType>(valid.size());
  if (is_key) {
    writer.Key(valid.data(), length);
  } else {
    writer.String(valid.data(), length);
  }
}

template <typename Output>
void write(Output& writer, const Value& value) {
  if (const auto* object = value.as_object()) {
    writer.StartObject();
    for (const auto& [key, member] : *object) {
      write_text(writer, key, true);
      write(writer, member);
    }
    writer.EndObject();
  } else if (const auto* array = value.as_array()) {
    writer.StartArray();
    for (const Value& element : *array) write(writer, element);
    writer.EndArray();
  } else if (const auto* text = value.as_string()) {
    write_text(writer, *text, false);
  } else if (const auto* integer = value.as_integer()) {
    writer.Int64(*integer);
  } else if (const auto* number = value.as_double()) {
    write_number(writer, *number);
  } else if (const auto* boolean = value.as_bool()) {
    writer.Bool(*boolean);
  } else {
    writer.Null();
  }
}

}  // namespace

std::string to_string(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  write(writer, value);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string to_pretty_string(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  write(writer, value);
  return {buffer.GetString(), buffer.GetSize()};
}

struct Writer::State {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer{text};
  std::vector<std::string_view> last_keys;  // of each object that is open
  std::string repaired;
};

Writer::Writer() : state_(std::make_unique<State>()) {}
Writer::~Writer() = default;

void Writer::begin_object() {
  state_->writer.StartObject();
  state_->last_keys.emplace_back();
}

void Writer::end_object() {
  state_->writer.EndObject();
  state_->last_keys.pop_back();
}

void Writer::begin_array() { state_->writer.StartArray(); }
void Writer::end_array() { state_->writer.EndArray(); }

void Writer::key(std::string_view key) {
  std::string_view& last = state_->last_keys.back();
  if (last.data() != nullptr && key <= last) {
    throw std::logic_error(fmt::format("the key {} comes after {}", key, last));
  }
  last = key;
  state_->writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
}

void Writer::value(std::string_view text) {
  const std::string_view valid = well_formed(text, state_->repaired);
  state_->writer.String(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

void Writer::value(double number) { write_number(state_->writer, number); }

void Writer::write_bool(bool value) { state_->writer.Bool(value); }
void Writer::write_integer(std::int64_t number) { state_->writer.Int64(number); }
void Writer::write_value(const Value& value) { write(state_->writer, value); }

std::size_t Writer::size() const { return state_->text.GetSize(); }

std::string Writer::take() { return {state_->text.GetString(), state_->text.GetSize()}; }

}  // namespace goldsmith::json
