// Strict reading of JSON. Every value knows its location (`versions[0].files[1].kind`), so that an
// error names the file, the field and the value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/json/value.hpp"

namespace goldsmith::manifest {

// A location in a file. `field` is "" for the document itself.
class Location {
 public:
  explicit Location(std::string file, std::string field = "")
      : file_(std::move(file)), field_(std::move(field)) {}

  Location member(std::string_view name) const;
  Location element(std::size_t index) const;
  // Throws ManifestError "FILE: FIELD: problem".
  [[noreturn]] void fail(const std::string& problem) const;

  const std::string& file() const { return file_; }
  const std::string& field() const { return field_; }

 private:
  std::string file_;
  std::string field_;
};

// A value and its location. Refers to the value, which must outlive it. The typed readers throw
// ManifestError if the value has another type or is out of bounds.
class Node {
 public:
  Node(Location location, const json::Value& value)
      : location_(std::move(location)), value_(&value) {}

  const Location& location() const { return location_; }
  bool is_array() const { return value_->as_array() != nullptr; }
  bool is_object() const { return value_->as_object() != nullptr; }

  // One line or more of text, at most `limit` bytes; what is not sys::is_printable() is refused,
  // but for line feeds and tabs.
  std::string text(std::size_t limit) const;
  // As `text`, on one line and not blank.
  std::string line(std::size_t limit) const;
  bool boolean() const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  std::vector<Node> elements() const;
  // The members by name, in the order of the names; any name is allowed.
  std::vector<std::pair<std::string, Node>> members() const;

  // "VALUE problem", the value shortened for display.
  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  friend class Fields;
  [[noreturn]] void wrong_type(std::string_view wanted) const;

  Location location_;
  const json::Value* value_;
};

// An object whose members must be among `known`; others are refused, with the nearest known name.
class Fields {
 public:
  Fields(const Node& node, std::initializer_list<std::string_view> known);

  const Location& location() const { return location_; }
  Node required(std::string_view name) const;
  std::optional<Node> optional(std::string_view name) const;

 private:
  Location location_;
  const json::Object* object_;
};

// How often something happened.
std::int64_t read_count(const Node& node);

// A value as a message shows it: JSON, at most 80 bytes.
std::string display(const json::Value& value);

}  // namespace goldsmith::manifest
