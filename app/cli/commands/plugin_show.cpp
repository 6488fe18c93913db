#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/domain/manifest.hpp"
#include "db/plugin_import.hpp"

namespace goldsmith::cli {

// goldsmith plugin show.

namespace {

json::Object view(const domain::PluginFile& file) {
  return {{"charset", file.charset},
          {"filename", file.filename},
          {"install_dir", file.install_dir},
          {"is_primary", file.is_primary},
          {"kind", file.kind},
          {"sha1", file.sha1},
          {"size_bytes", file.size_bytes}};
}

json::Object view(const domain::PluginVersion& version) {
  const auto file_view = [](const domain::PluginFile& file) { return view(file); };
  return {{"version", version.version},
          {"created_at", domain::format_timestamp(version.created_at)},
          {"status", domain::to_string(version.status)},
          {"changes", version.changes},
          {"held", version.held},
          {"origin", version.origin == domain::VersionOrigin() ? json::Value()
                                                               : domain::to_json(version.origin)},
          {"files", json::array_of(version.files, file_view)}};
}

json::Array shown_versions(const domain::Plugin& plugin) {
  return json::array_of(plugin.versions,
                        [](const domain::PluginVersion& version) { return view(version); });
}

std::string rating_text(const domain::Plugin& plugin) {
  return fmt::format("{} in {} ratings", plugin.rating.sum, plugin.rating.count);
}

// A member of what is told at length: for programs as it is, for people one text of each.
template <typename Value>
auto about(Value domain::PluginAbout::* member) {
  return [member](const domain::Plugin& plugin) { return to_json(plugin.about.*member); };
}

template <typename Value>
auto texts_of(std::vector<Value> domain::PluginAbout::* values, std::string Value::* text) {
  return [values, text](const domain::Plugin& plugin) {
    return json::array_of(plugin.about.*values, text);
  };
}

std::string upstream_text(const domain::Plugin& plugin) {
  const domain::PluginUpstream& upstream = plugin.upstream;
  std::string text = base::printable(upstream.repository);
  if (!upstream.folder.empty()) text += ", folder " + base::printable(upstream.folder);
  if (!upstream.branch.empty()) text += ", branch " + base::printable(upstream.branch);
  if (!upstream.releases.empty()) text += ", by " + base::printable(upstream.releases);
  if (upstream.gone_since) text += ", gone since " + domain::format_timestamp(upstream.gone_since);
  if (!upstream.problem.empty()) {
    text += ", does not compile since " + domain::format_timestamp(upstream.problem_since) + ": " +
            base::printable(upstream.problem);
  }
  return text;
}

json::Value upstream_view(const domain::Plugin& plugin) {
  return plugin.upstream.empty() ? json::Value() : domain::to_json(plugin.upstream);
}

Listing<domain::Plugin> details() {
  using domain::Plugin;
  using domain::PluginAbout;
  return {{{"slug", "slug", &Plugin::slug},
           {"name", "name", &Plugin::name},
           {"summary", "summary", &Plugin::summary},
           {"status", "status", &Plugin::status},
           {"category", "category", &Plugin::category},
           {"author", "author", &Plugin::author},
           {"license", "license", &Plugin::license},
           {"tags", "tags", &Plugin::tags},
           {"game_modes", "game_modes", about(&PluginAbout::game_modes)},
           {"original_url", "original_url", &Plugin::original_url},
           {"toolchain", "toolchain", &Plugin::toolchain},
           {.header = "upstream", .value = upstream_text},
           {.field = "upstream", .value = upstream_view},
           {.field = "description", .value = about(&PluginAbout::description)},
           {.header = "links", .value = texts_of(&PluginAbout::links, &domain::PluginLink::url)},
           {.field = "links", .value = about(&PluginAbout::links)},
           {.header = "cvars", .value = texts_of(&PluginAbout::cvars, &domain::PluginCvar::name)},
           {.field = "cvars", .value = about(&PluginAbout::cvars)},
           {.header = "commands",
            .value = texts_of(&PluginAbout::commands, &domain::PluginCommand::name)},
           {.field = "commands", .value = about(&PluginAbout::commands)},
           {.header = "rating", .value = rating_text},
           {.field = "rating", .value = &Plugin::rating},
           {"downloads", "downloads", &Plugin::downloads},
           {"updated_at", "updated_at", &Plugin::updated_at},
           {.field = "versions", .value = shown_versions}}};
}

void print_versions(const domain::Plugin& plugin, std::ostream& out) {
  Table table({"VERSION", "STATUS", "CREATED", "FILE", "KIND", "BYTES", "INSTALLED IN"});
  for (const domain::PluginVersion& version : plugin.versions) {
    const std::string status(domain::to_string(version.status));
    const std::string created = domain::format_timestamp(version.created_at);
    const domain::PluginFile* entry_point = domain::entry_point(version);
    if (version.files.empty()) {
      table.add({version.version.str(), status, created, "(none)", "", "", ""});
    }
    for (const domain::PluginFile& file : version.files) {
      table.add({version.version.str(), status, created,
                 file.filename + (&file == entry_point ? " *" : ""), file.kind,
                 std::to_string(file.size_bytes), "cstrike/" + file.install_dir});
    }
  }
  if (table.empty()) {
    out << "\nIt has no versions.\n";
    return;
  }
  out << '\n';
  table.print(out);
  out << "\n* is what is compiled.\n";
}

// Where versions come from, and what held them.
void print_origins(const domain::Plugin& plugin, std::ostream& out) {
  for (const domain::PluginVersion& version : plugin.versions) {
    const domain::VersionOrigin& origin = version.origin;
    if (!origin.repository.empty()) {
      out << '\n' << version.version << " is from " << base::printable(origin.repository);
      if (!origin.path.empty()) out << ", " << base::printable(origin.path);
      if (!origin.commit.empty()) out << ", commit " << base::printable(origin.commit);
      if (origin.time) out << " of " << domain::format_timestamp(origin.time);
      out << ".\n";
    }
    if (version.held.empty()) continue;
    out << '\n' << version.version << " is held:\n";
    for (const std::string_view reason : base::split(version.held, '\n')) {
      out << "  " << base::printable(reason) << '\n';
    }
  }
}

void print_description(const domain::Plugin& plugin, std::ostream& out) {
  if (!plugin.about.description.empty()) out << '\n' << plugin.about.description << '\n';
}

void run_show(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  const std::optional<domain::Plugin> plugin = context.plugins().find_any(slug);
  if (!plugin) throw no_such("plugin", slug, "plugin");
  if (arguments.has("json")) return context.print(details().object(*plugin));
  print_fields(context.out(), details().fields(*plugin));
  print_description(*plugin, context.out());
  print_versions(*plugin, context.out());
  print_origins(*plugin, context.out());
}

}  // namespace

Verb plugin_show_verb() {
  return {
      .name = "show",
      .summary = "Shows one plugin with its versions and files.",
      .text = "Shows all that is stored about one plugin, with its versions and their files.",
      .positionals = {{.name = "SLUG"}},
      .options = {json_option()},
      .examples = {"goldsmith plugin show afk-kicker"},
      .run = run_show,
  };
}

}  // namespace goldsmith::cli
