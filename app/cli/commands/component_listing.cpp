#include "app/cli/commands/component.hpp"
#include "app/cli/listing.hpp"

namespace goldsmith::cli {
namespace {

json::Value view(const domain::Upstream& upstream) {
  if (upstream.empty()) return nullptr;
  json::Object object;
  const auto add = [&](std::string_view name, std::string_view text) {
    if (!text.empty()) object.emplace(name, text);
  };
  add("github", upstream.github);
  add("tag", upstream.tag);
  if (!upstream.assets.empty()) object.emplace("asset", to_json(upstream.assets));
  if (!upstream.urls.empty()) object.emplace("url", to_json(upstream.urls));
  if (upstream.version) add("version", *upstream.version);
  json::Object digests;
  for (const auto& [version, values] : upstream.sha256) digests.emplace(version, to_json(values));
  if (!digests.empty()) object.emplace("sha256", std::move(digests));
  if (const auto& signature = upstream.signature) {
    object.emplace("signature",
                   json::Object{{"suffix", signature->suffix}, {"key", signature->key}});
  }
  return object;
}

json::Value view(const std::vector<domain::Rule>& rules) {
  if (rules.empty()) return nullptr;
  return json::array_of(rules, [](const domain::Rule& rule) {
    json::Object object{
        {"rule", domain::to_string(rule.kind)}, {"component", rule.component}, {"note", rule.note}};
    if (!rule.versions.is_every()) object["versions"] = rule.versions.str();
    return object;
  });
}

// As in a manifest.
json::Array view(const std::vector<domain::Advice>& advice) {
  return json::array_of(advice, [](const domain::Advice& each) -> json::Value {
    if (each.versions.is_every()) return each.text;
    return json::Object{{"text", each.text}, {"versions", each.versions.str()}};
  });
}

json::Object source_json(const domain::Source& source) {
  return {{"url", source.url}, {"size", source.size}, {"sha256", source.sha256}};
}

json::Object view(const domain::ComponentVersion& version, bool is_latest) {
  json::Object object = version_listing().object(version);
  object.emplace("is_latest", is_latest);
  if (!version.files.empty()) object.emplace("files", file_listing().array(version.files));
  if (!version.sources.empty()) {
    object.emplace("sources", json::array_of(version.sources, source_json));
  }
  return object;
}

json::Array all_versions(const domain::Component& component) {
  return json::array_of(component.versions, [&](const domain::ComponentVersion& version) {
    return view(version, &version == component.latest());
  });
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
           {.field = "configuration",
            .value = [](const Row& row) { return to_json(row.configuration); }},
           {.field = "advice", .value = [](const Row& row) { return view(row.advice); }},
           {.field = "versions", .value = all_versions}}};
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
