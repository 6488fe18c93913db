#include "app/json/writer.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <stdexcept>
#include <vector>

#include "app/json/well_formed.hpp"

namespace goldsmith::json {

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
    throw std::logic_error("the key " + std::string(key) + " comes after " + std::string(last));
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

std::string Writer::take() { return {state_->text.GetString(), state_->text.GetSize()}; }

}  // namespace goldsmith::json
