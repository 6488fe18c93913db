// goldsmith plugin show.
#include <optional>
#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/listing.hpp"

namespace goldsmith::cli {
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
          {"files", json::array_of(version.files, file_view)}};
}

json::Array shown_versions(const domain::Plugin& plugin) {
  return json::array_of(plugin.versions,
                        [](const domain::PluginVersion& version) { return view(version); });
}

std::string rating_text(const domain::Plugin& plugin) {
  return std::to_string(plugin.rating.sum) + " in " + std::to_string(plugin.rating.count) +
         " ratings";
}

json::Object view(const domain::PluginLink& link) {
  return {{"title", link.title}, {"url", link.url}};
}

json::Object view(const domain::PluginCvar& cvar) {
  return {{"name", cvar.name}, {"default", cvar.standard}, {"help", cvar.help}};
}

json::Object view(const domain::PluginCommand& command) {
  return {{"name", command.name}, {"flags", command.flags}, {"help", command.help}};
}

// Each as an object for programs, or as one of its texts for people.
template <typename Value>
auto views_of(std::vector<Value> domain::PluginAbout::* values) {
  return [values](const domain::Plugin& plugin) {
    return json::array_of(plugin.about.*values, [](const Value& value) { return view(value); });
  };
}

template <typename Value>
auto texts_of(std::vector<Value> domain::PluginAbout::* values, std::string Value::* text) {
  return [values, text](const domain::Plugin& plugin) {
    return json::array_of(plugin.about.*values, text);
  };
}

std::string description_of(const domain::Plugin& plugin) { return plugin.about.description; }

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
           {"original_url", "original_url", &Plugin::original_url},
           {"toolchain", "toolchain", &Plugin::toolchain},
           {.field = "description", .value = description_of},
           {.header = "links", .value = texts_of(&PluginAbout::links, &domain::PluginLink::url)},
           {.field = "links", .value = views_of(&PluginAbout::links)},
           {.header = "cvars", .value = texts_of(&PluginAbout::cvars, &domain::PluginCvar::name)},
           {.field = "cvars", .value = views_of(&PluginAbout::cvars)},
           {.header = "commands",
            .value = texts_of(&PluginAbout::commands, &domain::PluginCommand::name)},
           {.field = "commands", .value = views_of(&PluginAbout::commands)},
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
