// Strict reading of JSON. Every value knows its location (`versions[0].files[1].kind`), so that an
// error names the file, the field and the value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

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
  bool is_null() const { return value_->is_null(); }

  // One line or more of text, at most `limit` bytes; what is not base::is_printable() is refused,
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
  // Sets `value` to what `read` makes of the member; without the member it stays as it is.
  void read(std::string_view name, const auto& read, auto& value) const {
    if (const std::optional<Node> node = optional(name)) value = read(*node);
  }

 private:
  Location location_;
  const json::Object* object_;
};

// How often something happened.
std::int64_t read_count(const Node& node);

// A value as a message shows it: JSON, at most 80 bytes.
std::string display(const json::Value& value);

// What values in manifests may be, for all readers: legal names (decision R15), lengths, addresses.

// Maximum lengths in bytes, as in the database.
inline constexpr std::size_t kNameLimit = 255;
inline constexpr std::size_t kUrlLimit = 2048;
inline constexpr std::size_t kTextLimit = 16'384;
inline constexpr std::size_t kPathLimit = 1024;

// Readers return the value of a node, or throw ManifestError.
Slug read_slug(const Node& node);
Version read_version(const Node& node);
// The name of a member in an object whose members are versions. `value` is that of the member.
Version read_version_name(std::string_view name, const Node& value);
std::string read_name(const Node& node);           // one line, not blank
std::string read_optional_line(const Node& node);  // one line or ""
std::string read_text(const Node& node);           // lines, or ""
std::string read_url(const Node& node);            // http or https, or ""
std::string read_toolchain(const Node& node);
std::string read_relative_path(const Node& node);    // of a file
std::string read_relative_folder(const Node& node);  // "" = the root
Status read_status(const Node& node);
bool read_flag(const Node& node);
Timestamp read_timestamp(const Node& node);

// The `upstream` of a component: where its releases come from, and how they are checked.
// {"github": "owner/repo", "tag": "glob of release tags", "asset": "glob" or ["glob", …],
//  "sha256": {"VERSION": "hex" or ["hex", …]}, "signature": {"suffix": ".asc", "key": "40 hex"}}
// or, with a `sha256` and `signature` of the same form,
// {"url": "https://…{version}…" or [several], "version": "what is mirrored unless one is named"}.
Upstream read_upstream(const Node& node);

// The `places` of a component: [{"file": "final path", "looked_for": ["@library/a.cfg", "a.cfg"],
// "identity": ["setting", …]}].
std::vector<Places> read_places(const Node& node);
std::vector<Defect> read_defects(const Node& node);

// One address of that: https, without a user, and with no placeholder but {version}.
std::string read_archive_address(const Node& node);
// The name of a file of a release, or a pattern of such names: a line without a /.
std::string read_file_glob(const Node& node);

// The values of an array of at most `limit` elements.
std::vector<Node> read_elements(const Node& node, std::size_t limit);
// For Fields::read(): such an array, whose elements `read` reads.
template <typename Value>
auto each(std::size_t limit, Value (*read)(const Node&)) {
  return [=](const Node& node) {
    std::vector<Value> values;
    for (const Node& element : read_elements(node, limit)) values.push_back(read(element));
    return values;
  };
}

// The document in `file` is one object or an array of objects: calls `read` for each.
void read_objects(const std::filesystem::path& file, const std::function<void(const Node&)>& read);

// Parses JSON; throws ManifestError.
json::Value parse_manifest(const std::string& text, const Location& location);

}  // namespace goldsmith::domain
