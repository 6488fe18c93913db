#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin_manifest.hpp"
#include "app/domain/secret_names.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::size_t kSummaryCharacters = 200;
// Bytes.
constexpr std::size_t kDescriptionLimit = 32'768;
constexpr std::size_t kChangesLimit = 8192;
// Entries.
constexpr std::size_t kMaxLinks = 16;
constexpr std::size_t kMaxCvars = 256;
constexpr std::size_t kMaxCommands = 256;
constexpr std::size_t kMaxGameModes = 16;

std::string read_description(const Node& node) { return node.text(kDescriptionLimit); }

std::string read_link_url(const Node& node) {
  std::string url = read_url(node);
  if (url.empty()) node.refuse("is empty; a link needs an address");
  return url;
}

std::string read_flags(const Node& node) {
  std::string flags = node.text(kNameLimit);
  if (!std::all_of(flags.begin(), flags.end(), is_lower)) {
    node.refuse("is not a valid access; allowed are letters from a to z, as in AMX Mod X, or none");
  }
  return flags;
}

PluginLink read_link(const Node& node) {
  const Fields fields(node, {"title", "url"});
  return {read_name(fields.required("title")), read_link_url(fields.required("url"))};
}

PluginCvar read_cvar(const Node& node) {
  const Fields fields(node, {"name", "default", "help"});
  PluginCvar cvar;
  cvar.name = read_name(fields.required("name"));
  fields.read("default", read_optional_line, cvar.default_value);
  fields.read("help", read_optional_line, cvar.help);
  if (is_secret(cvar.name, cvar.default_value)) cvar.default_value.clear();  // (P22)
  return cvar;
}

PluginCommand read_command(const Node& node) {
  const Fields fields(node, {"name", "flags", "help", "server_only"});
  PluginCommand command;
  command.name = read_name(fields.required("name"));
  fields.read("server_only", read_flag, command.is_server_only);
  command.is_computed = !command.is_server_only && !fields.optional("flags");
  fields.read("flags", read_flags, command.flags);
  fields.read("help", read_optional_line, command.help);
  return command;
}

}  // namespace

PluginAbout read_plugin_about(const Fields& plugin) {
  PluginAbout about;
  plugin.read("description", read_description, about.description);
  plugin.read("links", each(kMaxLinks, read_link), about.links);
  plugin.read("cvars", each(kMaxCvars, read_cvar), about.cvars);
  plugin.read("commands", each(kMaxCommands, read_command), about.commands);
  plugin.read("game_modes", each(kMaxGameModes, read_name), about.game_modes);
  return about;
}

std::string read_plugin_summary(const Node& node) {
  std::string summary = node.text(kTextLimit).empty() ? std::string() : node.line(kTextLimit);
  const std::size_t characters = base::count_code_points(summary);
  if (characters > kSummaryCharacters) {
    node.refuse(
        fmt::format("has {} characters; at most {} are allowed", characters, kSummaryCharacters));
  }
  return summary;
}

std::string read_version_changes(const Node& node) { return node.text(kChangesLimit); }

}  // namespace goldsmith::domain
