// JSON values. Objects keep their keys in ascending byte order at every depth, so the output
// satisfies decision R9 by construction. Only parse() and to_string() use RapidJSON.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/container/flat_map.hpp>

namespace goldsmith::json {

class Value;
using Array = std::vector<Value>;

// A flat map, because most objects have few members and a response has thousands of objects. From
// `{{"key", value}, …}` the values are moved, not copied: most objects hold others.
class Object : public boost::container::flat_map<std::string, Value, std::less<>> {
 public:
  struct Member;

  Object() = default;
  Object(std::initializer_list<Member> members);
};

class Value {
 public:
  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Value(T value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  // Any other text: a literal, a view, a domain::Slug.
  template <std::convertible_to<std::string_view> Text>
  Value(const Text& value) : data_(std::string(std::string_view(value))) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  // Null if the value has another type.
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* as_integer() const { return std::get_if<std::int64_t>(&data_); }
  const double* as_double() const { return std::get_if<double>(&data_); }
  const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  const Array* as_array() const { return std::get_if<Array>(&data_); }
  const Object* as_object() const { return std::get_if<Object>(&data_); }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> data_;
};

struct Object::Member {
  std::string_view key;
  mutable Value value;  // the elements of an initializer list are const
};

inline Object::Object(std::initializer_list<Member> members) {
  reserve(members.size());
  for (const Member& member : members) emplace(member.key, std::move(member.value));
}

// What `value_of` gives of each of the range.
Array array_of(const auto& range, auto value_of) {
  Array array;
  array.reserve(std::size(range));
  for (const auto& each : range) array.emplace_back(std::invoke(value_of, each));
  return array;
}

// Invalid JSON. what() is "line L, column C: REASON".
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parses a UTF-8 document; a leading BOM is accepted. Iterative, so deep nesting cannot exhaust the
// stack. Throws ParseError for invalid JSON, a repeated key, an integer beyond 64 bits, a number
// that a double cannot hold, and more than 64 levels of nesting.
Value parse(std::string_view text);
// The same where nothing is thrown; std::nullopt for what is no such document.
std::optional<Value> parsed(std::string_view text);

// Compact UTF-8 with `/` unescaped. Bytes that are not UTF-8 become U+FFFD, so the result is always
// valid JSON.
std::string to_string(const Value& value);

// Indented by two spaces per level, for people (`--json` listings).
std::string to_pretty_string(const Value& value);

// Writes JSON piece by piece, for responses with many rows: a tenth of the time that values take.
class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  // The name of the member that follows. Names are literals, in ascending byte order within their
  // object (decision R9): std::logic_error otherwise.
  void key(std::string_view key);

  // As to_string() writes them.
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(const std::same_as<Value> auto& value) { write_value(value); }
  void value(std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>) {
      write_bool(value);
    } else {
      write_integer(static_cast<std::int64_t>(value));
    }
  }

  template <typename Type>
  void member(std::string_view key_of_member, const Type& its_value) {
    key(key_of_member);
    value(its_value);
  }

  // A member that is an object; `write` writes its members.
  void object(std::string_view key_of_member, const std::invocable auto& write) {
    key(key_of_member);
    begin_object();
    write();
    end_object();
  }
  // A member that is an array; `write` writes the value of each.
  void array(std::string_view key_of_member, const auto& range, const auto& write) {
    key(key_of_member);
    begin_array();
    for (const auto& each : range) write(each);
    end_array();
  }
  // An array of objects; `write` writes the members of each.
  void objects(std::string_view key_of_member, const auto& range, const auto& write) {
    array(key_of_member, range, [&](const auto& each) {
      begin_object();
      write(each);
      end_object();
    });
  }

  // The bytes that are written so far.
  std::size_t size() const;
  // The complete document. To be called once.
  std::string take();

 private:
  void write_bool(bool value);
  void write_integer(std::int64_t number);
  void write_value(const Value& value);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldsmith::json
