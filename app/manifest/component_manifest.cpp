#include <algorithm>
#include <set>
#include <tuple>

#include "app/domain/license.hpp"
#include "app/domain/names.hpp"
#include "app/manifest/manifest.hpp"
#include "app/manifest/rules.hpp"
#include "app/sys/suggestion.hpp"

namespace goldsmith::manifest {
namespace {

constexpr std::size_t kMaxEntries = 1000;  // rules, maps, globs, advice of one component
constexpr std::int64_t kMaxSortOrder = 1'000'000;

// "" or an expression of SPDX.
std::string read_license(const Node& node) {
  std::string text = read_optional_line(node);
  if (text.empty()) return text;
  try {
    domain::parse_license(text);
    return text;
  } catch (const domain::InvalidLicense& error) {
    std::string problem = "is not a valid SPDX license expression: ";
    problem += error.what();
    const auto ids = domain::license_ids();
    const auto near = sys::nearest(error.unknown(), {ids.begin(), ids.end()});
    if (!error.unknown().empty() && !near.empty()) {
      problem.append("; did you mean \"").append(near).append("\"?");
    }
    node.refuse(problem +
                "; what is proprietary or unknown is LicenseRef- with a name of your own");
  }
}

domain::Layer read_layer(const Node& node) {
  const std::string key = node.text(kNameLimit);
  if (const std::optional<domain::Layer> layer = domain::parse_layer(key)) return *layer;
  std::vector<std::string_view> keys;
  for (const domain::LayerInfo& layer : domain::layers()) keys.push_back(layer.key);
  node.refuse("is not a valid layer; allowed are " + sys::alternatives(keys));
}

domain::RuleKind read_rule_kind(const Node& node) {
  const std::string text = node.text(kNameLimit);
  if (const std::optional<domain::RuleKind> kind = domain::parse_rule_kind(text)) return *kind;
  node.refuse("is not a valid rule; allowed are requires, conflicts, recommends or bundles");
}

domain::VersionRange read_version_range(const Node& node) {
  const std::string text = node.line(kNameLimit);
  const std::optional<domain::VersionRange> range = domain::VersionRange::parse(text);
  if (!range || range->is_every()) {
    node.refuse(
        "is not a valid range of versions; allowed are <, <=, >, >= or = with a version, several "
        "separated by spaces: \">=5.24 <5.26\"");
  }
  return *range;
}

std::vector<domain::Rule> read_rules(const Node& node, const domain::Slug& own_slug) {
  std::vector<domain::Rule> rules;
  std::set<std::tuple<domain::RuleKind, domain::Slug, domain::VersionRange>> seen;
  for (const Node& element : read_elements(node, kMaxEntries)) {
    const Fields fields(element, {"rule", "component", "note", "versions"});
    const Node component = fields.required("component");
    domain::Rule rule;
    rule.kind = read_rule_kind(fields.required("rule"));
    rule.component = read_slug(component);
    rule.note = text_or_empty(fields, "note", read_text);
    rule.versions = value_or(fields, "versions", read_version_range, rule.versions);
    if (rule.component == own_slug) {
      component.refuse("is the component itself; a rule names another one");
    }
    if (!seen.emplace(rule.kind, rule.component, rule.versions).second) {
      component.refuse("has this rule twice; each rule is listed once");
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

// "" or names joined by '/', for a folder with one more '/' at the end.
std::string read_map_path(const Node& node) {
  std::string path = node.text(kPathLimit);
  std::string_view bare = path;
  if (bare.ends_with('/')) bare.remove_suffix(1);
  if ((bare.empty() && !path.empty()) || !domain::is_relative_path(bare)) {
    node.refuse(
        "is not a valid path in an archive; allowed are relative paths with / between the names, "
        "without \".\" and \"..\"");
  }
  return path;
}

domain::PathMap read_path_map(const Node& node) {
  const Fields fields(node, {"from", "to"});
  return {read_map_path(fields.required("from")), read_map_path(fields.required("to"))};
}

std::vector<std::string> read_globs(const Node& node) {
  std::vector<std::string> globs;
  for (const Node& each : read_elements(node, kMaxEntries)) globs.push_back(each.line(kPathLimit));
  return globs;
}

domain::InstallRules read_install(const Node& node) {
  const Fields fields(node, {"map", "drop", "executable"});
  domain::InstallRules rules;
  std::set<std::string> sources;
  if (const std::optional<Node> map = fields.optional("map")) {
    for (const Node& element : read_elements(*map, kMaxEntries)) {
      rules.map.push_back(read_path_map(element));
      if (!sources.insert(rules.map.back().from).second) {
        element.location().member("from").fail("\"" + rules.map.back().from +
                                               "\" is listed twice; each path is mapped once");
      }
    }
  }
  rules.drop = value_or(fields, "drop", read_globs, rules.drop);
  rules.executables = value_or(fields, "executable", read_globs, rules.executables);
  return rules;
}

decltype(domain::Component::install_overrides) read_overrides(const Node& node) {
  decltype(domain::Component::install_overrides) overrides;
  for (const auto& [version, rules] : node.members()) {
    overrides.emplace(read_version_name(version, rules), read_install(rules));
  }
  return overrides;
}

// What is loaded is written into liblist.gam and Metamod's plugins.ini, whose readers take white
// space, quotes, `;`, `#`, brackets and the like for syntax, each others.
std::string read_library(const Node& node) {
  constexpr std::size_t kLongest =
      200;  // the engine stores 255 bytes, Metamod adds the game's folder
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+~@-/";
  std::string path = read_relative_path(node);
  if (path.find_first_not_of(kPlain) != std::string::npos) {
    node.refuse(
        "is not a path that a server can load; allowed are letters, digits and . _ + ~ @ - with / "
        "between the names");
  }
  if (path.size() > kLongest) {
    node.refuse("is longer than the " + std::to_string(kLongest) +
                " bytes of a path that a server can load");
  }
  return path;
}

domain::Loads read_loads(const Node& node) {
  const Fields fields(node, {"gamedll", "metamod_loader", "metamod_plugin", "toolchain"});
  domain::Loads loads;
  loads.gamedll = optional_text(fields, "gamedll", read_library);
  loads.metamod_loader = optional_text(fields, "metamod_loader", read_library);
  loads.metamod_plugin = optional_text(fields, "metamod_plugin", read_library);
  loads.toolchain = optional_text(fields, "toolchain", read_toolchain);
  return loads;
}

// A text, or an object with the versions of which it is true.
std::vector<domain::Advice> read_advice(const Node& node) {
  std::vector<domain::Advice> advice;
  for (const Node& element : read_elements(node, kMaxEntries)) {
    if (!element.is_object()) {
      advice.push_back({element.line(kTextLimit)});
      continue;
    }
    const Fields fields(element, {"text", "versions"});
    advice.push_back({fields.required("text").line(kTextLimit),
                      value_or(fields, "versions", read_version_range, domain::VersionRange{})});
  }
  return advice;
}

bool read_flag(const Node& node) { return node.boolean(); }

domain::Component read_component(const Node& node) {
  const Fields fields(node, {"slug", "name", "description", "homepage", "license", "layer",
                             "is_default", "selectable", "sort_order", "rules", "upstream",
                             "install", "install_overrides", "configuration", "loads", "advice"});
  domain::Component component;
  component.slug = read_slug(fields.required("slug"));
  component.name = read_name(fields.required("name"));
  component.layer = read_layer(fields.required("layer"));
  component.description = text_or_empty(fields, "description", read_text);
  component.homepage = text_or_empty(fields, "homepage", read_url);
  component.license = text_or_empty(fields, "license", read_license);
  component.is_default = value_or(fields, "is_default", read_flag, false);
  component.selectable = value_or(fields, "selectable", read_flag, true);
  component.sort_order = value_or(
      fields, "sort_order",
      [](const Node& order) { return order.integer(-kMaxSortOrder, kMaxSortOrder); },
      std::int64_t{0});
  if (const std::optional<Node> rules = fields.optional("rules")) {
    component.rules = read_rules(*rules, component.slug);
  }
  component.upstream = value_or(fields, "upstream", read_upstream, domain::Upstream{});
  component.install = value_or(fields, "install", read_install, domain::InstallRules{});
  component.install_overrides =
      value_or(fields, "install_overrides", read_overrides, component.install_overrides);
  component.configuration = value_or(fields, "configuration", read_globs, component.configuration);
  component.loads = value_or(fields, "loads", read_loads, domain::Loads{});
  component.advice = value_or(fields, "advice", read_advice, component.advice);
  return component;
}

}  // namespace

std::vector<domain::Component> read_components(const std::filesystem::path& path) {
  std::vector<domain::Component> components;
  std::set<domain::Slug> slugs;
  read_objects(path, [&](const Node& node) {
    components.push_back(read_component(node));
    if (!slugs.insert(components.back().slug).second) {
      node.location().member("slug").fail("\"" + components.back().slug +
                                          "\" is listed twice; a file names each component once");
    }
  });
  return components;
}

}  // namespace goldsmith::manifest
