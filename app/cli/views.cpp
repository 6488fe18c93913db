#include "app/cli/views.hpp"

namespace goldsmith::cli {
namespace {

template <class Text>
json::Array array_of(const std::vector<Text>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Object view(const domain::Rating& rating) {
  return {{"avg", rating.average()}, {"count", rating.count}, {"sum", rating.sum}};
}

json::Object view(const domain::PluginFile& file) {
  return {{"filename", file.filename},
          {"install_dir", file.install_dir},
          {"is_primary", file.is_primary},
          {"kind", file.kind},
          {"sha1", file.sha1},
          {"size_bytes", file.size_bytes}};
}

json::Object view(const domain::PluginVersion& version) {
  json::Array files;
  for (const domain::PluginFile& file : version.files) files.emplace_back(view(file));
  return {{"version", version.version},
          {"created_at", domain::format_timestamp(version.created_at)},
          {"status", domain::to_string(version.status)},
          {"files", std::move(files)}};
}

json::Object view(const domain::ComponentVersion& version, bool is_latest) {
  json::Object object{{"version", version.version},
                      {"released_at", domain::format_timestamp(version.released_at)},
                      {"is_latest", is_latest},
                      {"size_bytes", version.size_bytes},
                      {"file_count", version.file_count},
                      {"digest", version.digest},
                      {"mirrored_at", domain::format_timestamp(version.mirrored_at)},
                      {"verified", domain::to_string(version.verified)}};
  json::Array files;
  for (const domain::ManifestFile& file : version.files) {
    files.emplace_back(json::Object{{"path", file.path},
                                    {"size", file.size},
                                    {"executable", file.executable},
                                    {"sha256", file.sha256}});
  }
  if (!files.empty()) object.emplace("files", std::move(files));
  json::Array sources;
  for (const domain::Source& source : version.sources) {
    sources.emplace_back(
        json::Object{{"url", source.url}, {"size", source.size}, {"sha256", source.sha256}});
  }
  if (!sources.empty()) object.emplace("sources", std::move(sources));
  return object;
}

json::Value view(const domain::Upstream& upstream) {
  if (upstream.empty()) return nullptr;
  json::Object object;
  const auto add = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) object.emplace(name, text);
  };
  add("github", upstream.github);
  add("tag", upstream.tag);
  if (!upstream.assets.empty()) object.emplace("asset", array_of(upstream.assets));
  if (!upstream.urls.empty()) object.emplace("url", array_of(upstream.urls));
  if (upstream.version) add("version", *upstream.version);
  json::Object digests;
  for (const auto& [version, values] : upstream.sha256) digests.emplace(version, array_of(values));
  if (!digests.empty()) object.emplace("sha256", std::move(digests));
  if (const auto& signature = upstream.signature) {
    object.emplace("signature",
                   json::Object{{"suffix", signature->suffix}, {"key", signature->key}});
  }
  return object;
}

json::Value view(const std::vector<domain::Rule>& rules) {
  if (rules.empty()) return nullptr;
  json::Array array;
  for (const domain::Rule& rule : rules) {
    json::Object object{
        {"rule", domain::to_string(rule.kind)}, {"component", rule.component}, {"note", rule.note}};
    if (!rule.versions.is_every()) object["versions"] = rule.versions.str();
    array.emplace_back(std::move(object));
  }
  return array;
}

// As in a manifest.
json::Array view(const std::vector<domain::Advice>& advice) {
  json::Array array;
  for (const domain::Advice& each : advice) {
    if (each.versions.is_every()) {
      array.emplace_back(each.text);
    } else {
      array.emplace_back(json::Object{{"text", each.text}, {"versions", each.versions.str()}});
    }
  }
  return array;
}

}  // namespace

json::Object view(const db::PluginOverview& plugin) {
  const domain::PluginSummary& summary = plugin.summary;
  return {{"slug", summary.slug},
          {"name", summary.name},
          {"category", summary.category},
          {"author", summary.author},
          {"license", summary.license},
          {"latest_version", summary.latest_version ? summary.latest_version->view() : ""},
          {"rating", view(summary.rating)},
          {"downloads", summary.downloads},
          {"updated_at", domain::format_timestamp(summary.updated_at)},
          {"status", domain::to_string(plugin.status)},
          {"version_count", plugin.version_count}};
}

json::Object view(const domain::Plugin& plugin) {
  json::Array versions;
  for (const domain::PluginVersion& version : plugin.versions) versions.emplace_back(view(version));
  return {{"slug", plugin.slug},
          {"name", plugin.name},
          {"category", plugin.category},
          {"author", plugin.author},
          {"license", plugin.license},
          {"tags", array_of(plugin.tags)},
          {"original_url", plugin.original_url},
          {"toolchain", plugin.toolchain},
          {"status", domain::to_string(plugin.status)},
          {"rating", view(plugin.rating)},
          {"downloads", plugin.downloads},
          {"updated_at", domain::format_timestamp(plugin.updated_at)},
          {"versions", std::move(versions)}};
}

json::Object view(const domain::AddonPack& pack) {
  return {{"slug", pack.slug},
          {"name", pack.name},
          {"description", pack.description},
          {"status", domain::to_string(pack.status)},
          {"created_at", domain::format_timestamp(pack.created_at)},
          {"downloads", pack.downloads},
          {"plugin_count", pack.plugins.size()},
          {"plugins", array_of(pack.plugins)}};
}

json::Object view(const domain::Component& component) {
  json::Array versions;
  for (const domain::ComponentVersion& version : component.versions) {
    versions.emplace_back(view(version, &version == component.latest()));
  }
  return {{"slug", component.slug},
          {"name", component.name},
          {"description", component.description},
          {"homepage", component.homepage},
          {"license", component.license},
          {"layer", domain::info(component.layer).key},
          {"is_default", component.is_default},
          {"selectable", component.selectable},
          {"sort_order", component.sort_order},
          {"rules", view(component.rules)},
          {"upstream", view(component.upstream)},
          {"advice", view(component.advice)},
          {"versions", std::move(versions)}};
}

json::Object view(const db::ListedSection& listed) {
  return {{"path", listed.section.path},
          {"component", listed.section.component ? listed.section.component->view() : ""},
          {"position", listed.section.position},
          {"source", name_of(listed.source)},
          {"content", listed.section.content}};
}

json::Object view(const domain::ApiKey& key) {
  return {{"id", key.id},
          {"name", key.name},
          {"prefix", key.prefix},
          {"scopes", array_of(key.scopes)},
          {"per_minute", key.per_minute},
          {"per_day", key.per_day},
          {"disabled", key.disabled},
          {"expires_at", domain::format_timestamp(key.expires_at)},
          {"created_at", domain::format_timestamp(key.created_at)},
          {"last_used_at", domain::format_timestamp(key.last_used_at)}};
}

std::string_view name_of(db::SectionSource source) {
  switch (source) {
    case db::SectionSource::own:
      return "own";
    case db::SectionSource::default_:
      return "default";
    case db::SectionSource::changed:
      return "changed";
  }
  return "";
}

}  // namespace goldsmith::cli
