#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/license.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::size_t kMaxEntries = 1000;  // rules, maps, globs, advice of one component
constexpr std::int64_t kMaxSortOrder = 1'000'000;

// "" or an expression of SPDX.
std::string read_license(const Node& node) {
  std::string text = read_optional_line(node);
  if (text.empty()) return text;
  try {
    parse_license(text);
    return text;
  } catch (const InvalidLicense& error) {
    std::string problem = "is not a valid SPDX license expression: ";
    problem += error.what();
    const auto ids = license_ids();
    const auto near = base::nearest(error.unknown(), {ids.begin(), ids.end()});
    if (!error.unknown().empty() && !near.empty()) {
      problem.append("; did you mean \"").append(near).append("\"?");
    }
    node.refuse(problem +
                "; what is proprietary or unknown is LicenseRef- with a name of your own");
  }
}

Layer read_layer(const Node& node) {
  const std::string key = node.text(kNameLimit);
  if (const std::optional<Layer> layer = parse_layer(key)) return *layer;
  std::vector<std::string_view> keys;
  for (const LayerInfo& layer : layers()) keys.push_back(layer.key);
  node.refuse("is not a valid layer; allowed are " + base::alternatives(keys));
}

RuleKind read_rule_kind(const Node& node) {
  const std::string text = node.text(kNameLimit);
  if (const std::optional<RuleKind> kind = parse_rule_kind(text)) return *kind;
  node.refuse("is not a valid rule; allowed are requires, conflicts, recommends or bundles");
}

VersionRange read_version_range(const Node& node) {
  const std::string text = node.line(kNameLimit);
  const std::optional<VersionRange> range = VersionRange::parse(text);
  if (!range || range->is_every()) {
    node.refuse(
        "is not a valid range of versions; allowed are <, <=, >, >= or = with a version, several "
        "separated by spaces: \">=5.24 <5.26\"");
  }
  return *range;
}

// What is bundled comes in its latest version, whichever that is.
VersionRange read_other_versions(const Node& node, RuleKind kind) {
  if (kind != RuleKind::bundles) return read_version_range(node);
  node.refuse("is of a rule that bundles, which adds the latest version of the other component");
}

std::vector<Rule> read_rules(const Node& node, const Slug& own_slug) {
  std::vector<Rule> rules;
  std::set<std::tuple<RuleKind, Slug, VersionRange, VersionRange>> seen;
  for (const Node& element : read_elements(node, kMaxEntries)) {
    const Fields fields(element, {"rule", "component", "note", "versions", "with_versions"});
    const Node component = fields.required("component");
    Rule rule;
    rule.kind = read_rule_kind(fields.required("rule"));
    rule.component = read_slug(component);
    fields.read("note", read_text, rule.note);
    fields.read("versions", read_version_range, rule.versions);
    fields.read(
        "with_versions", [&](const Node& range) { return read_other_versions(range, rule.kind); },
        rule.with);
    if (rule.component == own_slug) {
      component.refuse("is the component itself; a rule names another one");
    }
    if (!seen.emplace(rule.kind, rule.component, rule.versions, rule.with).second) {
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
  if ((bare.empty() && !path.empty()) || !is_relative_path(bare)) {
    node.refuse(
        "is not a valid path in an archive; allowed are relative paths with / between the names, "
        "without \".\" and \"..\"");
  }
  return path;
}

PathMap read_path_map(const Node& node) {
  const Fields fields(node, {"from", "file", "to"});
  const std::optional<Node> file = fields.optional("file");
  if (!file) return {read_map_path(fields.required("from")), read_map_path(fields.required("to"))};
  if (fields.optional("from")) {
    fields.location().fail(
        "names both a path in archives, \"from\", and a file that is no archive, \"file\"; allowed "
        "is one of the two");
  }
  return {read_file_glob(*file), read_map_path(fields.required("to")), true};
}

std::string read_glob(const Node& node) { return node.line(kPathLimit); }

InstallRules read_install(const Node& node) {
  const Fields fields(node, {"map", "drop", "executable"});
  InstallRules rules;
  std::set<std::pair<bool, std::string>> sources;
  if (const std::optional<Node> map = fields.optional("map")) {
    for (const Node& element : read_elements(*map, kMaxEntries)) {
      const PathMap& last = rules.map.emplace_back(read_path_map(element));
      if (!sources.emplace(last.is_file, last.from).second) {
        element.location()
            .member(last.is_file ? "file" : "from")
            .fail("\"" + last.from + "\" is listed twice; each " +
                  (last.is_file ? "name" : "path") + " is mapped once");
      }
    }
  }
  fields.read("drop", each(kMaxEntries, read_glob), rules.drop);
  fields.read("executable", each(kMaxEntries, read_glob), rules.executables);
  return rules;
}

decltype(Component::install_overrides) read_overrides(const Node& node) {
  decltype(Component::install_overrides) overrides;
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
    node.refuse(
        fmt::format("is longer than the {} bytes of a path that a server can load", kLongest));
  }
  return path;
}

Loads read_loads(const Node& node) {
  const Fields fields(node, {"gamedll", "metamod_loader", "metamod_plugin", "toolchain"});
  Loads loads;
  fields.read("gamedll", read_library, loads.gamedll);
  fields.read("metamod_loader", read_library, loads.metamod_loader);
  fields.read("metamod_plugin", read_library, loads.metamod_plugin);
  fields.read("toolchain", read_toolchain, loads.toolchain);
  return loads;
}

// A text, or an object with the versions of which it is true.
Advice read_advice(const Node& node) {
  if (!node.is_object()) return {node.line(kTextLimit)};
  const Fields fields(node, {"text", "versions"});
  Advice advice{fields.required("text").line(kTextLimit)};
  fields.read("versions", read_version_range, advice.versions);
  return advice;
}

Secret read_secret(const Node& node) {
  const Fields fields(node, {"file", "setting", "suggested"});
  Secret secret{read_relative_path(fields.required("file")),
                fields.required("setting").line(kNameLimit)};
  fields.read("suggested", read_flag, secret.is_suggested);
  return secret;
}

std::int64_t read_sort_order(const Node& node) {
  return node.integer(-kMaxSortOrder, kMaxSortOrder);
}

Component read_component(const Node& node) {
  const Fields fields(
      node, {"slug", "name", "description", "homepage", "license", "layer", "is_default",
             "selectable", "sort_order", "rules", "upstream", "install", "install_overrides",
             "configuration", "secrets", "places", "loads", "advice", "defects"});
  Component component;
  component.slug = read_slug(fields.required("slug"));
  component.name = read_name(fields.required("name"));
  component.layer = read_layer(fields.required("layer"));
  fields.read("description", read_text, component.description);
  fields.read("homepage", read_url, component.homepage);
  fields.read("license", read_license, component.license);
  fields.read("is_default", read_flag, component.is_default);
  fields.read("selectable", read_flag, component.selectable);
  fields.read("sort_order", read_sort_order, component.sort_order);
  if (const std::optional<Node> rules = fields.optional("rules")) {
    component.rules = read_rules(*rules, component.slug);
  }
  fields.read("upstream", read_upstream, component.upstream);
  fields.read("install", read_install, component.install);
  fields.read("install_overrides", read_overrides, component.install_overrides);
  fields.read("configuration", each(kMaxEntries, read_glob), component.configuration);
  fields.read("secrets", each(kMaxEntries, read_secret), component.secrets);
  fields.read("places", read_places, component.places);
  fields.read("loads", read_loads, component.loads);
  fields.read("advice", each(kMaxEntries, read_advice), component.advice);
  fields.read("defects", read_defects, component.defects);
  return component;
}

}  // namespace

Component read_component(const json::Value& object, const std::string& name) {
  return read_component(Node(Location(name), object));
}

std::vector<Component> read_components(const std::filesystem::path& path) {
  std::vector<Component> components;
  std::set<Slug> slugs;
  read_objects(path, [&](const Node& node) {
    components.push_back(read_component(node));
    if (!slugs.insert(components.back().slug).second) {
      node.location().member("slug").fail("\"" + components.back().slug +
                                          "\" is listed twice; a file names each component once");
    }
  });
  return components;
}

}  // namespace goldsmith::domain
