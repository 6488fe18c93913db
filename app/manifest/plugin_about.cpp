#include "app/manifest/plugin_about.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/domain/ascii.hpp"
#include "app/domain/secret_names.hpp"
#include "app/manifest/rules.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::manifest {
namespace {

constexpr std::size_t kSummaryCharacters = 200;
// Bytes.
constexpr std::size_t kDescriptionLimit = 32'768;
constexpr std::size_t kChangesLimit = 8192;
// Entries.
constexpr std::size_t kMaxLinks = 16;
constexpr std::size_t kMaxCvars = 256;
constexpr std::size_t kMaxCommands = 256;

std::string read_description(const Node& node) { return node.text(kDescriptionLimit); }

std::string read_link_url(const Node& node) {
  std::string url = read_url(node);
  if (url.empty()) node.refuse("is empty; a link needs an address");
  return url;
}

std::string read_flags(const Node& node) {
  std::string flags = node.text(kNameLimit);
  if (!std::all_of(flags.begin(), flags.end(), domain::is_lower)) {
    node.refuse("is not a valid access; allowed are letters from a to z, as in AMX Mod X, or none");
  }
  return flags;
}

domain::PluginLink read_link(const Node& node) {
  const Fields fields(node, {"title", "url"});
  return {read_name(fields.required("title")), read_link_url(fields.required("url"))};
}

domain::PluginCvar read_cvar(const Node& node) {
  const Fields fields(node, {"name", "default", "help"});
  domain::PluginCvar cvar{read_name(fields.required("name")),
                          text_or_empty(fields, "default", read_optional_line),
                          text_or_empty(fields, "help", read_optional_line)};
  if (domain::names_secret(cvar.name)) cvar.standard.clear();  // (decision P22)
  return cvar;
}

domain::PluginCommand read_command(const Node& node) {
  const Fields fields(node, {"name", "flags", "help"});
  return {read_name(fields.required("name")), text_or_empty(fields, "flags", read_flags),
          text_or_empty(fields, "help", read_optional_line)};
}

template <typename Value>
std::vector<Value> read_all(const Fields& fields, std::string_view name, std::size_t limit,
                            Value (*read)(const Node&)) {
  std::vector<Value> values;
  if (const std::optional<Node> node = fields.optional(name)) {
    for (const Node& element : read_elements(*node, limit)) values.push_back(read(element));
  }
  return values;
}

}  // namespace

domain::PluginAbout read_plugin_about(const Fields& plugin) {
  return {text_or_empty(plugin, "description", read_description),
          read_all(plugin, "links", kMaxLinks, read_link),
          read_all(plugin, "cvars", kMaxCvars, read_cvar),
          read_all(plugin, "commands", kMaxCommands, read_command)};
}

std::string read_plugin_summary(const Node& node) {
  std::string summary = node.text(kTextLimit).empty() ? std::string() : node.line(kTextLimit);
  const std::size_t characters = sys::count_code_points(summary);
  if (characters > kSummaryCharacters) {
    node.refuse("has " + std::to_string(characters) + " characters; at most " +
                std::to_string(kSummaryCharacters) + " are allowed");
  }
  return summary;
}

std::string read_version_changes(const Node& node) { return node.text(kChangesLimit); }

}  // namespace goldsmith::manifest
