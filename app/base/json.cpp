#include "app/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>
#include <rapidjson/encodings.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

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

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

// `text` with U+FFFD for each byte that is not part of well-formed UTF-8. A view of `text`, or of
// `storage` if something was replaced.
std::string_view well_formed(std::string_view text, std::string& storage) {
  if (is_ascii(text)) return text;
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

}  // namespace

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Builds a value from the parser's events with an explicit stack instead of recursion. A handler
// that returns false stops the parser; `error()` then has the reason.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  bool Null() { return add(nullptr); }
  bool Bool(bool value) { return add(value); }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return check_text({text, length}) && add(std::string_view(text, length));
  }

  // Numbers are read as text, because the parser silently rounds integers beyond 64 bits to
  // doubles.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view number(text, length);
    return number.find_first_of(".eE") == std::string_view::npos ? add_number<std::int64_t>(number)
                                                                 : add_number<double>(number);
  }

  bool StartObject() { return push({.members = Members(), .array = {}, .key = {}}); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return push({}); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (!check_text({text, length})) return false;
    Frame& frame = frames_.back();
    frame.key.assign(text, length);
    if (!frame.members->contains(frame.key)) return true;
    return fail("the key " + to_string(Value(frame.key)) + " is repeated");
  }

  const std::string& error() const { return error_; }
  Value take_root() { return std::move(root_); }

 private:
  // An object or array under construction. Moved into its parent when complete.
  // An Object would move all members behind each that comes out of order.
  using Members = std::map<std::string, Value, std::less<>>;
  struct Frame {
    std::optional<Members> members;
    Array array;
    std::string key;
  };

  bool fail(std::string reason) {
    error_ = std::move(reason);
    return false;
  }

  // The parser accepts an escaped lone low surrogate ("\udc00").
  bool check_text(std::string_view text) {
    for (std::size_t i = text.find('\xED'); i != std::string_view::npos;
         i = text.find('\xED', i + 1)) {
      if (static_cast<unsigned char>(text[i + 1]) >= 0xA0) return fail("a lone surrogate");
    }
    return true;
  }

  template <typename Number>
  bool add_number(std::string_view text) {
    Number number{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size()) {
      return fail(fmt::format("the number {} is out of range", text.substr(0, 40)));
    }
    return add(number);
  }

  bool add(Value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = frames_.back();
    if (frame.members) {
      frame.members->emplace(std::move(frame.key), std::move(value));
    } else {
      frame.array.push_back(std::move(value));
    }
    return true;
  }

  bool push(Frame frame) {
    if (frames_.size() == kMaxDepth) {
      return fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    frames_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (!frame.members) return add(std::move(frame.array));
    Object object;
    object.reserve(frame.members->size());
    while (!frame.members->empty()) {
      auto first = frame.members->extract(frame.members->begin());
      object.emplace_hint(object.end(), std::move(first.key()), std::move(first.mapped()));
    }
    return add(std::move(object));
  }

  std::vector<Frame> frames_;
  Value root_;
  std::string error_;
};

// Lines and columns count from 1, columns in code points.
ParseError error_at(std::string_view text, std::size_t offset, const std::string& reason) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_feed = before.rfind('\n');
  const std::string_view in_line =
      line_feed == std::string_view::npos ? before : before.substr(line_feed + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char byte) {
                        return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
                      });
  return ParseError(fmt::format("line {}, column {}: {}", line, column, reason));
}

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
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

Value parse(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    const bool refused = result.Code() == rapidjson::kParseErrorTermination;
    throw error_at(
        text, std::min(result.Offset(), text.size()),
        refused ? builder.error() : lower_first(rapidjson::GetParseError_En(result.Code())));
  }
  // The parser stops at a NUL.
  if (stream.Tell() < text.size()) {
    throw error_at(text, stream.Tell(), "unexpected text after the end of the document");
  }
  return builder.take_root();
}

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
