// What values in manifests may be, for all readers: legal names (decision R15), lengths, addresses.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "app/manifest/fields.hpp"

namespace goldsmith::manifest {

// Maximum lengths in bytes, as in the database.
inline constexpr std::size_t kNameLimit = 255;
inline constexpr std::size_t kUrlLimit = 2048;
inline constexpr std::size_t kTextLimit = 16'384;
inline constexpr std::size_t kPathLimit = 1024;

// Readers return the value of a node, or throw ManifestError.
domain::Slug read_slug(const Node& node);
domain::Version read_version(const Node& node);
// The name of a member in an object whose members are versions. `value` is that of the member.
domain::Version read_version_name(std::string_view name, const Node& value);
std::string read_name(const Node& node);           // one line, not blank
std::string read_optional_line(const Node& node);  // one line or ""
std::string read_text(const Node& node);           // lines, or ""
std::string read_url(const Node& node);            // http or https, or ""
std::string read_toolchain(const Node& node);
std::string read_relative_path(const Node& node);    // of a file
std::string read_relative_folder(const Node& node);  // "" = the root
domain::Status read_status(const Node& node);
domain::Timestamp read_timestamp(const Node& node);

// The `upstream` of a component: where its releases come from, and how they are checked.
// {"github": "owner/repo", "tag": "glob of release tags", "asset": "glob" or ["glob", …],
//  "sha256": {"VERSION": "hex" or ["hex", …]}, "signature": {"suffix": ".asc", "key": "40 hex"}}
// or, with a `sha256` and `signature` of the same form,
// {"url": "https://…{version}…" or [several], "version": "what is mirrored unless one is named"}.
domain::Upstream read_upstream(const Node& node);

// The values of an array of at most `limit` elements.
std::vector<Node> read_elements(const Node& node, std::size_t limit);

// `read` of the member if it exists, else `otherwise`.
template <typename Read, typename Value>
Value value_or(const Fields& fields, std::string_view name, Read read, Value otherwise) {
  const std::optional<Node> node = fields.optional(name);
  return node ? static_cast<Value>(read(*node)) : std::move(otherwise);
}
std::optional<std::string> optional_text(const Fields& fields, std::string_view name,
                                         std::string (*read)(const Node&));
std::string text_or_empty(const Fields& fields, std::string_view name,
                          std::string (*read)(const Node&));

// The document in `file` is one object or an array of objects: calls `read` for each.
void read_objects(const std::filesystem::path& file, const std::function<void(const Node&)>& read);

// Parses JSON; throws ManifestError.
json::Value parse_manifest(const std::string& text, const Location& location);

}  // namespace goldsmith::manifest
