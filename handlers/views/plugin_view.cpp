#include "handlers/views/plugin_view.hpp"

#include <set>
#include <utility>

#include "app/json/writer.hpp"

namespace goldsmith::handlers::views {
namespace {

void write_rating(json::Writer& out, const domain::Rating& rating) {
  out.begin_object();
  out.member("avg", rating.average());
  out.member("count", rating.count);
  out.end_object();
}

json::Object rating_json(const domain::Rating& rating) {
  return {{"avg", rating.average()}, {"count", rating.count}};
}

void write_summary(json::Writer& out, const domain::PluginSummary& plugin, const Urls& urls) {
  out.begin_object();
  out.member("author", plugin.author);
  out.member("category", plugin.category);
  out.member("detail_url", urls.plugin(plugin.slug));
  out.member("downloads", plugin.downloads);
  out.member("latest_version", plugin.latest_version ? plugin.latest_version->view() : "");
  out.member("license", plugin.license);
  out.member("name", plugin.name);
  out.member("page_url", urls.plugin_page(plugin.slug));
  out.key("rating");
  write_rating(out, plugin.rating);
  out.member("slug", plugin.slug);
  out.member("summary", plugin.summary);
  out.member("updated_at", domain::format_timestamp(plugin.updated_at));
  out.end_object();
}

void write_files(json::Writer& out, const domain::PluginVersion& version) {
  // What is compiled shows as primary, flagged or not (decision P11); without a source the flag
  // counts.
  const domain::PluginFile* entry = domain::entry_point(version);
  out.begin_array();
  for (const domain::PluginFile& file : version.files) {
    out.begin_object();
    out.member("filename", file.filename);
    out.member("install_dir", file.install_dir);
    out.member("is_primary", entry == nullptr ? file.is_primary : &file == entry);
    out.member("kind", file.kind);
    out.member("sha1", file.sha1);
    out.member("size_bytes", file.size_bytes);
    out.end_object();
  }
  out.end_array();
}

// What can be downloaded of every version, and the kinds of its files.
void write_downloads(json::Writer& out, const domain::Slug& slug,
                     const domain::PluginVersion& version, const Urls& urls) {
  std::set<std::string_view> kinds{"amxx", "zip"};
  for (const domain::PluginFile& file : version.files) kinds.insert(file.kind);
  out.begin_object();
  for (const std::string_view kind : kinds) {
    out.member(kind, urls.plugin_download(slug, version.version, kind));
  }
  out.end_object();
}

void write_version(json::Writer& out, const domain::Slug& slug,
                   const domain::PluginVersion& version, const CompileContext& context,
                   const Urls& urls) {
  out.begin_object();
  out.member("changes", version.changes);
  write_compile_errors(out, version, context.fingerprints);
  write_compiles_with(out, version, context.fingerprints);
  out.member("created_at", domain::format_timestamp(version.created_at));
  out.key("downloads");
  write_downloads(out, slug, version, urls);
  out.key("files");
  write_files(out, version);
  write_needs(out, version, context);
  out.member("version", version.version);
  out.end_object();
}

void write_cvars(json::Writer& out, const std::vector<domain::PluginCvar>& cvars) {
  out.begin_array();
  for (const domain::PluginCvar& cvar : cvars) {
    out.begin_object();
    out.member("default", cvar.standard);
    out.member("help", cvar.help);
    out.member("name", cvar.name);
    out.end_object();
  }
  out.end_array();
}

void write_commands(json::Writer& out, const std::vector<domain::PluginCommand>& commands) {
  out.begin_array();
  for (const domain::PluginCommand& command : commands) {
    out.begin_object();
    out.member("flags", command.flags);
    out.member("help", command.help);
    out.member("name", command.name);
    out.end_object();
  }
  out.end_array();
}

void write_links(json::Writer& out, const std::vector<domain::PluginLink>& links) {
  out.begin_array();
  for (const domain::PluginLink& link : links) {
    out.begin_object();
    out.member("title", link.title);
    out.member("url", link.url);
    out.end_object();
  }
  out.end_array();
}

void write_detail(json::Writer& out, const domain::Plugin& plugin, const CompileContext& context,
                  const Urls& urls) {
  out.begin_object();
  out.member("author", plugin.author);
  out.member("category", plugin.category);
  out.key("commands");
  write_commands(out, plugin.about.commands);
  out.key("cvars");
  write_cvars(out, plugin.about.cvars);
  out.member("description", plugin.about.description);
  out.member("detail_url", urls.plugin(plugin.slug));
  out.member("downloads", plugin.downloads);
  out.member("license", plugin.license);
  out.key("links");
  write_links(out, plugin.about.links);
  out.member("name", plugin.name);
  out.member("original_url", plugin.original_url);
  out.member("page_url", urls.plugin_page(plugin.slug));
  out.key("rating");
  write_rating(out, plugin.rating);
  out.member("slug", plugin.slug);
  out.member("summary", plugin.summary);
  out.key("tags");
  out.begin_array();
  for (const std::string& tag : plugin.tags) out.value(tag);
  out.end_array();
  out.member("updated_at", domain::format_timestamp(plugin.updated_at));
  out.key("versions");
  out.begin_array();
  for (const domain::PluginVersion& version : plugin.versions) {
    write_version(out, plugin.slug, version, context, urls);
  }
  out.end_array();
  out.end_object();
}

json::Object bundled_plugin(const domain::PluginSummary& plugin, const Urls& urls) {
  const std::optional<domain::Version>& latest = plugin.latest_version;
  return {{"slug", plugin.slug},
          {"name", plugin.name},
          {"category", plugin.category},
          {"rating", rating_json(plugin.rating)},
          {"summary", plugin.summary},
          {"latest_version", latest ? latest->view() : ""},
          {"detail_url", urls.plugin(plugin.slug)},
          {"install_url", latest ? urls.plugin_download(plugin.slug, *latest, "amxx") : ""}};
}

}  // namespace

std::string plugin_page(const Page& page, const db::PluginPage& found, const Urls& urls) {
  json::Writer out;
  out.begin_object();
  out.member("page", page.number);
  out.member("per_page", page.size);
  out.key("plugins");
  out.begin_array();
  for (const domain::PluginSummary& plugin : found.plugins) write_summary(out, plugin, urls);
  out.end_array();
  out.member("status", true);
  out.member("total", found.total);
  out.member("total_pages", page.count(found.total));
  out.end_object();
  return out.take();
}

std::string plugin_detail(const domain::Plugin& plugin, const CompileContext& context,
                          const Urls& urls) {
  json::Writer out;
  out.begin_object();
  out.key("plugin");
  write_detail(out, plugin, context, urls);
  out.member("status", true);
  out.end_object();
  return out.take();
}

json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls) {
  return {{"slug", addon.slug},
          {"name", addon.name},
          {"description", addon.description},
          {"plugin_count", addon.plugin_count},
          {"downloads", addon.downloads},
          {"created_at", domain::format_timestamp(addon.created_at)},
          {"detail_url", urls.addon(addon.slug)},
          {"page_url", urls.addon_page(addon.slug)}};
}

json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls) {
  json::Object object = addon_summary(addon.summary, urls);
  json::Array plugins;
  for (const domain::PluginSummary& plugin : addon.plugins) {
    plugins.push_back(bundled_plugin(plugin, urls));
  }
  object["plugins"] = std::move(plugins);
  return object;
}

}  // namespace goldsmith::handlers::views
