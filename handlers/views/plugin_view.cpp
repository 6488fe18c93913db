#include "handlers/views/plugin_view.hpp"

#include <utility>

#include "app/json/writer.hpp"

namespace goldsmith::handlers::views {
namespace {

// A whole average is written without a fraction: 0 ratings show as 0, not 0.0.
json::Value average_json(double average) {
  const auto whole = static_cast<std::int64_t>(average);
  if (static_cast<double>(whole) == average) return whole;
  return average;
}

void write_average(json::Writer& out, double average) {
  const json::Value value = average_json(average);
  if (const auto* whole = value.as_integer()) {
    out.value(*whole);
  } else {
    out.value(average);
  }
}

json::Object rating_json(const domain::Rating& rating) {
  return {{"avg", average_json(rating.average())}, {"count", rating.count}};
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
  out.begin_object();
  out.key("avg");
  write_average(out, plugin.rating.average());
  out.member("count", plugin.rating.count);
  out.end_object();
  out.member("slug", plugin.slug);
  out.member("updated_at", domain::format_timestamp(plugin.updated_at));
  out.end_object();
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

json::Object matrix_json(const domain::PluginVersion& version, const Fingerprints& fingerprints) {
  json::Object matrix;
  for (const std::string& line : domain::toolchain_lines()) {
    matrix[line] = compiles_with(version, line, fingerprints);
  }
  return matrix;
}

json::Object version_json(const domain::Slug& slug, const domain::PluginVersion& version,
                          const Fingerprints& fingerprints, const Urls& urls) {
  json::Object downloads;
  for (const char* kind : {"amxx", "zip"}) {
    downloads[kind] = urls.plugin_download(slug, version.version, kind);
  }
  for (const domain::PluginFile& file : version.files) {
    downloads[file.kind] = urls.plugin_download(slug, version.version, file.kind);
  }
  return {{"version", version.version},
          {"compiles_with", matrix_json(version, fingerprints)},
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

std::string_view compiles_with(const domain::PluginVersion& version, const std::string& line,
                               const Fingerprints& fingerprints) {
  const auto installed = fingerprints.find(line);
  if (installed == fingerprints.end()) return "unknown";
  const domain::CompileVerdict* verdict =
      domain::find_verdict(version.verdicts, line, installed->second);
  const bool is_known = verdict != nullptr && verdict->result != domain::CompileResult::undecided;
  return is_known ? domain::to_string(verdict->result) : "unknown";
}

json::Object plugin_detail(const domain::Plugin& plugin, const Fingerprints& fingerprints,
                           const Urls& urls) {
  json::Array versions;
  for (const domain::PluginVersion& version : plugin.versions) {
    versions.push_back(version_json(plugin.slug, version, fingerprints, urls));
  }
  return {{"author", plugin.author},
          {"category", plugin.category},
          {"detail_url", urls.plugin(plugin.slug)},
          {"downloads", plugin.downloads},
          {"license", plugin.license},
          {"name", plugin.name},
          {"original_url", plugin.original_url},
          {"page_url", urls.plugin_page(plugin.slug)},
          {"rating", rating_json(plugin.rating)},
          {"slug", plugin.slug},
          {"tags", json::Array(plugin.tags.begin(), plugin.tags.end())},
          {"updated_at", domain::format_timestamp(plugin.updated_at)},
          {"versions", std::move(versions)}};
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
