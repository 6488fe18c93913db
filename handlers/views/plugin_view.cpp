#include "handlers/views/plugin_view.hpp"

#include <utility>

namespace goldsmith::handlers::views {
namespace {

// A whole average is written without a fraction: 0 ratings show as 0, not 0.0.
json::Value average_json(double average) {
  const auto whole = static_cast<std::int64_t>(average);
  if (static_cast<double>(whole) == average) return whole;
  return average;
}

json::Object rating_json(const domain::Rating& rating) {
  return {{"avg", average_json(rating.average())}, {"count", rating.count}};
}

// What a summary and a detail share; both are templates of the same fields.
template <typename Plugin>
json::Object common_fields(const Plugin& plugin, const Urls& urls) {
  return {{"slug", plugin.slug},
          {"name", plugin.name},
          {"category", plugin.category},
          {"author", plugin.author},
          {"license", plugin.license},
          {"rating", rating_json(plugin.rating)},
          {"downloads", plugin.downloads},
          {"detail_url", urls.plugin(plugin.slug)},
          {"page_url", urls.plugin_page(plugin.slug)},
          {"updated_at", domain::format_timestamp(plugin.updated_at)}};
}

json::Array files_json(const domain::PluginVersion& version) {
  // What is compiled shows as primary, flagged or not (decision P11); without a source the flag
  // counts.
  const domain::PluginFile* entry = domain::entry_point(version);
  json::Array files;
  for (const domain::PluginFile& file : version.files) {
    files.push_back(
        json::Object{{"filename", file.filename},
                     {"install_dir", file.install_dir},
                     {"is_primary", entry == nullptr ? file.is_primary : &file == entry},
                     {"kind", file.kind},
                     {"sha1", file.sha1},
                     {"size_bytes", file.size_bytes}});
  }
  return files;
}

json::Object version_json(const domain::Slug& slug, const domain::PluginVersion& version,
                          const Urls& urls) {
  json::Object downloads;
  for (const char* kind : {"amxx", "zip"}) {
    downloads[kind] = urls.plugin_download(slug, version.version, kind);
  }
  for (const domain::PluginFile& file : version.files) {
    downloads[file.kind] = urls.plugin_download(slug, version.version, file.kind);
  }
  return {{"version", version.version},
          {"created_at", domain::format_timestamp(version.created_at)},
          {"downloads", std::move(downloads)},
          {"files", files_json(version)}};
}

json::Object bundled_plugin(const domain::PluginSummary& plugin, const Urls& urls) {
  const std::optional<domain::Version>& latest = plugin.latest_version;
  return {{"slug", plugin.slug},
          {"name", plugin.name},
          {"category", plugin.category},
          {"rating", rating_json(plugin.rating)},
          {"latest_version", latest ? latest->view() : ""},
          {"detail_url", urls.plugin(plugin.slug)},
          {"install_url", latest ? urls.plugin_download(plugin.slug, *latest, "amxx") : ""}};
}

}  // namespace

json::Object plugin_summary(const domain::PluginSummary& plugin, const Urls& urls) {
  json::Object object = common_fields(plugin, urls);
  object["latest_version"] = plugin.latest_version ? plugin.latest_version->view() : "";
  return object;
}

json::Object plugin_detail(const domain::Plugin& plugin, const Urls& urls) {
  json::Object object = common_fields(plugin, urls);
  object["tags"] = json::Array(plugin.tags.begin(), plugin.tags.end());
  object["original_url"] = plugin.original_url;
  json::Array versions;
  for (const domain::PluginVersion& version : plugin.versions) {
    versions.push_back(version_json(plugin.slug, version, urls));
  }
  object["versions"] = std::move(versions);
  return object;
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
