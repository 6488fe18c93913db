#include "app/cli/commands/component.hpp"
#include "app/cli/listing.hpp"

namespace goldsmith::cli {
namespace {

template <class Text>
json::Array array_of(const std::vector<Text>& texts) {
  return json::Array(texts.begin(), texts.end());
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

json::Object view(const domain::ComponentVersion& version, bool is_latest) {
  json::Object object = version_listing().object(version);
  object.emplace("is_latest", is_latest);
  if (!version.files.empty()) object.emplace("files", file_listing().array(version.files));
  json::Array sources;
  for (const domain::Source& source : version.sources) {
    sources.emplace_back(
        json::Object{{"url", source.url}, {"size", source.size}, {"sha256", source.sha256}});
  }
  if (!sources.empty()) object.emplace("sources", std::move(sources));
  return object;
}

json::Array versions_of(const domain::Component& component) {
  json::Array versions;
  for (const domain::ComponentVersion& version : component.versions) {
    versions.emplace_back(view(version, &version == component.latest()));
  }
  return versions;
}

std::string latest_of(const domain::Component& component) {
  const domain::ComponentVersion* latest = component.latest();
  return latest ? latest->version.str() : "";
}

}  // namespace

Listing<domain::Component> component_listing() {
  using Row = domain::Component;
  return {{{"SLUG", "slug", &Row::slug},
           {"LAYER", "layer", [](const Row& row) { return domain::info(row.layer).key; }},
           {"NAME", "name", &Row::name},
           {"ORDER", "sort_order", &Row::sort_order},
           {"DEFAULT", "is_default", &Row::is_default},
           {"SELECTABLE", "selectable", &Row::selectable},
           {.header = "VERSIONS", .value = [](const Row& row) { return row.versions.size(); }},
           {.header = "LATEST", .value = latest_of, .absent = "-"},
           {.field = "description", .value = &Row::description},
           {.field = "homepage", .value = &Row::homepage},
           {.field = "license", .value = &Row::license},
           {.field = "rules", .value = [](const Row& row) { return view(row.rules); }},
           {.field = "upstream", .value = [](const Row& row) { return view(row.upstream); }},
           {.field = "advice", .value = [](const Row& row) { return view(row.advice); }},
           {.field = "versions", .value = versions_of}}};
}

Listing<domain::ComponentVersion> version_listing() {
  using Row = domain::ComponentVersion;
  return {{{"VERSION", "version", &Row::version},
           {"RELEASED", "released_at", &Row::released_at},
           {"MIRRORED", "mirrored_at", &Row::mirrored_at},
           {"VERIFIED", "verified", &Row::verified},
           {"UPSTREAM BYTES", "size_bytes", &Row::size_bytes},
           {"FILES", "file_count", &Row::file_count},
           {.header = "DIGEST", .value = [](const Row& row) { return row.digest.substr(0, 12); }},
           {.field = "digest", .value = &Row::digest}}};
}

Listing<domain::ManifestFile> file_listing() {
  using Row = domain::ManifestFile;
  return {{{"BYTES", "size", &Row::size},
           {"EXECUTABLE", "executable", &Row::executable},
           {"PATH", "path", &Row::path},
           {.field = "sha256", .value = &Row::sha256}}};
}

}  // namespace goldsmith::cli
