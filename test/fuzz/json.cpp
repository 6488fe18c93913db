// JSON that anyone may send: what is read is written and read as the same.
#include <algorithm>

#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

// The same value by the other way to write it. Its keys must be literals: they are left out.
void write_again(json::Writer& out, const json::Value& value) {
  if (const auto* array = value.as_array()) {
    out.begin_array();
    for (const json::Value& each : *array) write_again(out, each);
    out.end_array();
  } else if (const auto* text = value.as_string()) {
    out.value(*text);
  } else if (const auto* integer = value.as_integer()) {
    out.value(*integer);
  } else if (const auto* number = value.as_double()) {
    out.value(*number);
  } else if (const auto* boolean = value.as_bool()) {
    out.value(*boolean);
  }
}

bool has_only_what_a_writer_has(const json::Value& value) {
  if (value.is_null() || value.as_object()) return false;
  const auto* array = value.as_array();
  return !array || std::all_of(array->begin(), array->end(), has_only_what_a_writer_has);
}

void check_texts(const json::Value& value) {
  if (const auto* text = value.as_string()) require(domain::is_utf8(*text), "a text is UTF-8");
  if (const auto* array = value.as_array()) {
    for (const json::Value& each : *array) check_texts(each);
  }
  if (const auto* object = value.as_object()) {
    for (const auto& [key, member] : *object) {
      require(domain::is_utf8(key), "a key is UTF-8");
      check_texts(member);
    }
  }
}

void check_any_text(std::string_view input) {
  const std::string written = json::to_string(json::Value(input));
  require(domain::is_utf8(written), "what is written is UTF-8");
  const json::Value again = json::parse(written);
  require(again.as_string() != nullptr, "a text is read as one");
  require(*again.as_string() == input || !domain::is_utf8(input), "and is the same");
}

}  // namespace

FUZZ_TARGET(json, "app/base/json.cpp") {
  check_any_text(input);
  json::Value value;
  if (fuzz::throws<json::ParseError>([&] { value = json::parse(input); })) return;
  require(domain::is_utf8(input), "only UTF-8 is JSON");
  check_texts(value);
  const std::string written = json::to_string(value);
  const json::Value again = json::parse(written);
  require(json::to_string(again) == written, "what is written is read as the same");
  require(json::parse(json::to_pretty_string(value)) == again, "indented, too");
  if (has_only_what_a_writer_has(value)) {
    json::Writer out;
    write_again(out, value);
    require(out.take() == written, "both ways to write agree");
  }
}
