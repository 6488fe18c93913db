#include "handlers/documents/sbom.hpp"

#include <optional>
#include <set>
#include <string_view>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/license.hpp"
#include "app/domain/version.hpp"

namespace goldsmith::handlers::documents {
namespace {

constexpr std::string_view kOwnLicense = "MIT";  // of what goldsmith generates

// Braces around the elements would copy them, for each of thousands of files.
json::Array sha256_hashes(const std::string& sha256) {
  json::Array hashes;
  hashes.push_back(json::Object{{"alg", "SHA-256"}, {"content", sha256}});
  return hashes;
}

json::Object link(std::string_view type, const std::string& url) {
  return {{"type", type}, {"url", url}};
}

// What is no expression of SPDX is a license's name.
json::Array licenses(const std::string& text) {
  if (text.empty()) return {};
  try {
    const domain::LicenseExpression expression = domain::parse_license(text);
    const domain::LicenseTerm& first = expression.terms.front();
    const bool is_id = expression.is_single() && first.id == text && !first.is_reference();
    if (!is_id) return {json::Object{{"expression", text}}};
    return {json::Object{{"license", json::Object{{"id", text}}}}};
  } catch (const domain::InvalidLicense&) {
    return {json::Object{{"license", json::Object{{"name", text}}}}};
  }
}

void put(json::Object& object, std::string_view name, json::Array items) {
  if (!items.empty()) object.emplace(name, std::move(items));
}

// Names and repositories of GitHub are in lower case there.
std::string github_purl(const domain::GithubTag& release) {
  return "pkg:github/" + base::to_lower_ascii(release.repository) + "@" + release.tag;
}

std::string generic_purl(std::string_view name, std::string_view version) {
  return "pkg:generic/" + base::percent_encode(name) + "@" + base::percent_encode(version);
}

// What the lines "SPDX-License-Identifier: …" of a text say, each once; "" if it has none.
std::string stated_license(std::string_view text) {
  constexpr std::string_view kTag = "SPDX-License-Identifier:";
  std::set<std::string> stated;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::size_t tag = line.find(kTag);
    if (tag == std::string_view::npos) continue;
    stated.emplace(base::trim_ascii(line.substr(tag + kTag.size())));
  }
  if (stated.size() == 1) return *stated.begin();
  std::string all;
  for (const std::string& each : stated) {
    all.append(all.empty() ? "(" : " AND (").append(each).append(")");
  }
  return all;
}

json::Object file_json(const creator::PlannedFile& file) {
  json::Object object{{"type", "file"},
                      {"bom-ref", "file:" + file.path},
                      {"name", file.path},
                      {"hashes", sha256_hashes(file.sha256)}};
  if (file.origin == creator::Origin::edited) {
    put(object, "licenses", licenses(stated_license(std::get<std::string>(file.source))));
  }
  return object;
}

// The files of a plan by what they are from.
using FilesBySource = std::map<std::string, json::Array, std::less<>>;

FilesBySource files_by_source(const creator::Plan& plan) {
  FilesBySource files;
  for (const creator::PlannedFile& file : plan.files) files[file.from].push_back(file_json(file));
  return files;
}

json::Array links_of(const domain::Component& component, const domain::ComponentVersion& version) {
  json::Array links;
  if (!component.homepage.empty()) links.push_back(link("website", component.homepage));
  for (const domain::Source& source : version.sources) {
    if (source.url.empty()) continue;
    json::Object distribution = link("distribution", source.url);
    distribution["hashes"] = sha256_hashes(source.sha256);
    links.push_back(std::move(distribution));
  }
  const auto release =
      version.sources.empty() ? std::nullopt : domain::github_tag(version.sources.front().url);
  if (release) links.push_back(link("release-notes", release->page()));
  return links;
}

std::string ref_of(const creator::Selected& selected) {
  return "component:" + selected.component->slug + "@" + selected.version->version;
}

json::Object component_json(const creator::Selected& selected, json::Array files) {
  const domain::Component& component = *selected.component;
  const domain::ComponentVersion& version = *selected.version;
  const auto release =
      version.sources.empty() ? std::nullopt : domain::github_tag(version.sources.front().url);
  json::Object object{
      {"type", "library"},
      {"bom-ref", ref_of(selected)},
      {"name", component.title()},
      {"version", version.version},
      {"purl", release ? github_purl(*release) : generic_purl(component.slug, version.version)}};
  if (!component.description.empty()) object["description"] = component.description;
  // The digest of the archive that it was made from. With several archives, each link has its own.
  if (version.sources.size() == 1) object["hashes"] = sha256_hashes(version.sources[0].sha256);
  put(object, "licenses", licenses(component.license));
  put(object, "externalReferences", links_of(component, version));
  put(object, "components", std::move(files));
  return object;
}

json::Object plugin_json(const creator::PlannedPlugin& plugin, const PluginFacts& facts,
                         json::Array files) {
  json::Object object{{"type", "library"},
                      {"bom-ref", "plugin:" + plugin.slug + "@" + plugin.version},
                      {"name", plugin.slug},
                      {"version", plugin.version},
                      {"purl", generic_purl(plugin.slug, plugin.version)}};
  if (const auto found = facts.find(plugin.slug); found != facts.end()) {
    const domain::Plugin& plugin_facts = found->second;
    object["name"] = plugin_facts.name;
    if (!plugin_facts.author.empty()) {
      object["authors"] = json::Array{json::Object{{"name", plugin_facts.author}}};
    }
    put(object, "licenses", licenses(plugin_facts.license));
    if (!plugin_facts.original_url.empty()) {
      object["externalReferences"] = json::Array{link("website", plugin_facts.original_url)};
    }
  }
  put(object, "components", std::move(files));
  return object;
}

// What the service itself wrote, `svc`, or tuned, `svc-optimized`: of the latter, each file says
// its license, as the operator may have tuned it.
json::Object own_json(const std::string& from, std::string_view name, json::Array files) {
  json::Object object{
      {"type", "data"}, {"bom-ref", from}, {"name", name}, {"components", std::move(files)}};
  if (from == "svc") object["licenses"] = licenses(std::string(kOwnLicense));
  return object;
}

json::Array components_json(const creator::Plan& plan, const PluginFacts& facts) {
  FilesBySource files = files_by_source(plan);
  json::Array components;
  for (const creator::Selected& selected : plan.selection.components) {
    components.push_back(
        component_json(selected, std::move(files[selected.component->slug.str()])));
  }
  for (const creator::PlannedPlugin& plugin : plan.plugins) {
    components.push_back(plugin_json(plugin, facts, std::move(files["plugin:" + plugin.slug])));
  }
  for (const auto& [from, name] : {std::pair{"svc", "Generated configuration"},
                                   std::pair{"svc-optimized", "Tuned configuration"}}) {
    const auto own = files.find(from);
    if (own == files.end() || own->second.empty()) continue;
    components.push_back(own_json(from, name, std::move(own->second)));
  }
  return components;
}

json::Array dependencies_json(const std::string& build, const json::Array& components) {
  json::Array refs = json::array_of(components, [](const json::Value& component) {
    return component.as_object()->at("bom-ref");
  });
  return {json::Object{{"ref", build}, {"dependsOn", std::move(refs)}}};
}

}  // namespace

json::Object sbom(const creator::Plan& plan, const PluginFacts& facts) {
  const std::string build = "build:" + plan.build_hash;
  json::Array components = components_json(plan, facts);
  json::Array dependencies = dependencies_json(build, components);
  return {
      {"$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json"},
      {"bomFormat", "CycloneDX"},
      {"specVersion", "1.6"},
      {"serialNumber", "urn:uuid:" + base::uuid_of(plan.build_hash)},
      {"version", 1},
      {"metadata",
       json::Object{
           {"component",
            json::Object{{"type", "application"},
                         {"bom-ref", build},
                         {"name", "cs16-server"},
                         {"version", plan.build_hash.substr(0, 12)},
                         {"properties", json::Array{json::Object{{"name", "goldsmith:build_hash"},
                                                                 {"value", plan.build_hash}}}}}},
           {"tools",
            json::Object{{"components", json::Array{json::Object{{"type", "application"},
                                                                 {"name", "goldsmith"}}}}}}}},
      {"components", std::move(components)},
      {"dependencies", std::move(dependencies)}};
}

}  // namespace goldsmith::handlers::documents
