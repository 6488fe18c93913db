// What a record looks like outside of the program. A record is a struct that names its members
// once, for all that writes or reads them:
//   static void members(auto& self, const auto& visit) { visit("name", self.name); … }
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

struct AnyMember {
  void operator()(std::string_view, const auto&) const {}
};
template <typename Type>
concept Record = requires(const Type& record) { Type::members(record, AnyMember()); };

// A record is an object, a list an array and a map an object. A time or the name of an enumerator
// is text, what is absent is "", and a rating an object.
template <typename Type>
json::Value to_json(const Type& value) {
  if constexpr (std::convertible_to<Type, json::Value>) {
    return value;
  } else if constexpr (Record<Type>) {
    json::Object object;
    Type::members(value, [&](std::string_view name, const auto& member) {
      object.emplace(name, to_json(member));
    });
    return object;
  } else if constexpr (requires { format_timestamp(value); }) {
    return format_timestamp(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? to_json(*value) : "";
  } else if constexpr (requires { value.average(); }) {
    return json::Object{{"avg", value.average()}, {"count", value.count}, {"sum", value.sum}};
  } else if constexpr (requires { typename Type::mapped_type; }) {
    json::Object object;
    for (const auto& [name, member] : value) object.emplace(name, to_json(member));
    return object;
  } else if constexpr (requires { value.begin(); }) {
    return json::array_of(value, [](const auto& each) { return to_json(each); });
  } else {
    return to_string(value);
  }
}

// The members of a record that are not empty.
template <Record Type>
json::Object told(const Type& record) {
  json::Object object;
  Type::members(record, [&](std::string_view name, const auto& member) {
    if (member != std::remove_cvref_t<decltype(member)>()) object.emplace(name, to_json(member));
  });
  return object;
}

// Reads what told() has written. What is missing, or has another type, stays as it is.
inline void read_json(const json::Value& value, std::string& text) {
  if (const std::string* written = value.as_string()) text = *written;
}
inline void read_json(const json::Value& value, std::optional<std::string>& text) {
  if (const std::string* written = value.as_string()) text = *written;
}
inline void read_json(const json::Value& value, bool& flag) {
  if (const bool* written = value.as_bool()) flag = *written;
}
inline void read_json(const json::Value& value, std::int64_t& number) {
  if (const std::int64_t* written = value.as_integer()) number = *written;
}
inline void read_json(const json::Value& value, json::Value& any) { any = value; }
inline void read_json(const json::Value& value, json::Object& object) {
  if (const json::Object* written = value.as_object()) object = *written;
}
inline void read_json(const json::Value& value, std::map<std::string, std::string>& texts) {
  const json::Object* const object = value.as_object();
  if (object == nullptr) return;
  for (const auto& [name, element] : *object) {
    if (const std::string* written = element.as_string()) texts.emplace(name, *written);
  }
}
inline void read_json(const json::Value& value, std::vector<std::int64_t>& numbers) {
  const json::Array* const array = value.as_array();
  if (array == nullptr) return;
  for (const json::Value& element : *array) {
    if (const std::int64_t* written = element.as_integer()) numbers.push_back(*written);
  }
}
inline void read_json(const json::Value& value, std::vector<std::string>& texts) {
  const json::Array* const array = value.as_array();
  if (array == nullptr) return;
  for (const json::Value& element : *array) {
    if (const std::string* written = element.as_string()) texts.push_back(*written);
  }
}
inline void read_json(const json::Value& value, std::optional<Timestamp>& time) {
  const std::string* const written = value.as_string();
  if (written == nullptr) return;
  if (const std::optional<Timestamp> read = parse_timestamp(*written)) time = read;
}
template <Record Type>
void read_json(const json::Value& value, std::vector<Type>& records);
template <Record Type>
void read_json(const json::Value& value, Type& record) {
  const json::Object* const object = value.as_object();
  if (object == nullptr) return;
  Type::members(record, [&](std::string_view name, auto& member) {
    if (const auto found = object->find(name); found != object->end()) {
      read_json(found->second, member);
    }
  });
}
template <Record Type>
void read_json(const json::Value& value, std::vector<Type>& records) {
  const json::Array* const array = value.as_array();
  if (array == nullptr) return;
  for (const json::Value& element : *array) {
    if (element.as_object() != nullptr) read_json(element, records.emplace_back());
  }
}

}  // namespace goldsmith::domain
