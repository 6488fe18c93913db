#include "app/domain/component.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "app/base/glob.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::domain {
namespace {

// In the order of the enumeration, so that a layer's value is its index.
constexpr std::array<LayerInfo, 11> kLayers = {{
    {Layer::engine, "engine", "Engine", true},
    {Layer::gamedll, "gamedll", "Game library", true},
    {Layer::metamod, "metamod", "Plugin loader", true},
    {Layer::amxmodx, "amxmodx", "Plugin platform", true},
    {Layer::auth, "auth", "Non-Steam authentication", true},
    {Layer::module, "module", "Platform modules", false},
    {Layer::anticheat, "anticheat", "Anti-cheat", false},
    {Layer::voice, "voice", "Voice", false},
    {Layer::bots, "bots", "Bots", false},
    {Layer::svc, "svc", "Service extras", false},
    {Layer::content, "content", "Maps and content", false},
}};

constexpr std::array<std::string_view, 4> kRuleKinds = {"requires", "conflicts", "recommends",
                                                        "bundles"};

constexpr std::array<std::string_view, 6> kHoldKinds = {"hand",  "unstarted", "start",
                                                        "doubt", "step",      "defect"};

// What the operator says of a version counts more than what the manifest says.
void hold_for_defects(const Component& component, ComponentVersion& version) {
  if (version.held || version.is_released) return;
  const Defect* const defect = component.holding_defect(version.version);
  if (defect == nullptr) return;
  version.held = Hold{told(*defect).english(), defect->known_at, HoldKind::defect};
}

}  // namespace

std::span<const LayerInfo> layers() { return kLayers; }

const LayerInfo& info(Layer layer) { return kLayers.at(static_cast<std::size_t>(layer)); }

std::string_view to_string(Layer layer) { return info(layer).key; }

std::optional<Layer> parse_layer(std::string_view key) {
  const std::span all = layers();
  const auto found = std::ranges::find(all, key, &LayerInfo::key);
  if (found == all.end()) return std::nullopt;
  return found->layer;
}

std::string_view to_string(Verification verification) {
  switch (verification) {
    case Verification::none:
      return "none";
    case Verification::digest:
      return "digest";
    case Verification::signature:
      return "signature";
  }
  return "none";
}

std::optional<Verification> parse_verification(std::string_view text) {
  for (const auto each : {Verification::none, Verification::digest, Verification::signature}) {
    if (text == to_string(each)) return each;
  }
  return std::nullopt;
}

std::string_view to_string(HoldKind kind) { return kHoldKinds.at(static_cast<std::size_t>(kind)); }

std::optional<HoldKind> parse_hold_kind(std::string_view text) {
  const std::span<const std::string_view> all(kHoldKinds);
  const auto found = std::ranges::find(all, text);
  if (found == all.end()) return std::nullopt;
  return static_cast<HoldKind>(found - all.begin());
}

std::string_view to_string(RuleKind kind) { return kRuleKinds.at(static_cast<std::size_t>(kind)); }

json::Value rules_json(const std::vector<Rule>& rules) {
  if (rules.empty()) return nullptr;
  return json::array_of(rules, [](const Rule& rule) {
    json::Object object{
        {"rule", to_string(rule.kind)}, {"component", rule.component}, {"note", rule.note}};
    if (!rule.versions.is_every()) object["versions"] = rule.versions.str();
    if (!rule.with.is_every()) object["with_versions"] = rule.with.str();
    return object;
  });
}

std::optional<RuleKind> parse_rule_kind(std::string_view text) {
  const std::span<const std::string_view> all(kRuleKinds);
  const auto found = std::ranges::find(all, text);
  if (found == all.end()) return std::nullopt;
  return static_cast<RuleKind>(found - all.begin());
}

std::string fill_setting(std::string_view content, std::string_view setting,
                         std::string_view value) {
  std::string filled;
  bool is_filled = false;
  for (const std::string_view each : base::split(content, '\n')) {
    const std::string_view line = each.substr(0, each.find_last_not_of(" \t\r") + 1);
    if (is_filled || line != setting) {
      filled.append(each).append("\n");
      continue;
    }
    is_filled = true;
    filled.append(line).append(" ").append(value).append(each.ends_with('\r') ? "\r\n" : "\n");
  }
  if (!is_filled) return "";
  filled.pop_back();
  return filled;
}

const ComponentVersion* Component::latest() const {
  const auto found =
      std::find_if(versions.begin(), versions.end(), [](const auto& each) { return !each.held; });
  return found == versions.end() ? nullptr : &*found;
}

const ComponentVersion* Component::find_version(std::string_view version) const {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const auto& each) { return each.version == version; });
  return found == versions.end() ? nullptr : &*found;
}

bool operator==(const Defect& left, const Defect& right) {
  const auto told_of = [](const Defect& each) {
    return std::tie(each.text, each.since, each.until, each.source, each.holds);
  };
  return told_of(left) == told_of(right);
}

bool Defect::concerns(std::string_view version) const {
  return (!since || version_order(version, *since) >= 0) &&
         (!until || version_order(version, *until) < 0);
}

json::Array defects_json(const std::vector<Defect>& defects) {
  return json::array_of(defects, [](const Defect& each) {
    return json::Object{{"text", each.text},
                        {"since", each.since ? each.since->str() : ""},
                        {"until", each.until ? each.until->str() : ""},
                        {"source", each.source},
                        {"hold", each.holds}};
  });
}

base::Message told(const Defect& defect) {
  std::vector<base::Message::Value> values{{"defect", base::Message(defect.text)},
                                           {"address", defect.source}};
  if (!defect.until) {
    return {base::N_("{defect} No release without it is known: {address}"), std::move(values)};
  }
  values.emplace_back("version", defect.until->str());
  return {base::N_("{defect} {version} is without it: {address}"), std::move(values)};
}

const Defect* Component::holding_defect(std::string_view version) const {
  const auto found = std::ranges::find_if(
      defects, [&](const Defect& each) { return each.holds && each.concerns(version); });
  return found == defects.end() ? nullptr : &*found;
}

std::vector<const Defect*> Component::told_defects(const ComponentVersion& version) const {
  const bool is_held = version.held && version.held->kind == HoldKind::defect;
  const Defect* const reason = is_held ? holding_defect(version.version) : nullptr;
  std::vector<const Defect*> found;
  for (const Defect& each : defects) {
    if (&each != reason && each.concerns(version.version)) found.push_back(&each);
  }
  return found;
}

const PathMap* InstallRules::file_map(std::string_view name) const {
  const auto found = std::find_if(map.begin(), map.end(), [&](const PathMap& each) {
    return each.is_file && base::matches_glob(each.from, name);
  });
  return found == map.end() ? nullptr : &*found;
}

const InstallRules& Component::install_for(std::string_view version) const {
  const auto found = install_overrides.find(version);
  return found == install_overrides.end() ? install : found->second;
}

std::string_view module_of(std::string_view path) {
  constexpr std::string_view kFolder = "cstrike/addons/amxmodx/modules/";
  constexpr std::string_view kEnding = "_amxx_i386.so";
  if (!path.starts_with(kFolder) || !path.ends_with(kEnding)) return {};
  path.remove_prefix(kFolder.size());
  path.remove_suffix(std::min(path.size(), kEnding.size()));
  return path.find('/') == std::string_view::npos ? path : std::string_view();
}

bool has_natives(std::string_view path) { return path == kAmxModXFile || !module_of(path).empty(); }

std::string_view include_of(std::string_view path) {
  constexpr std::string_view kEnding = ".inc";
  if (!path.starts_with(kIncludeFolder) || !path.ends_with(kEnding)) return {};
  path.remove_prefix(kIncludeFolder.size());
  return path.size() > kEnding.size() ? path : std::string_view();
}

bool is_map(std::string_view path) {
  for (const std::string_view folder : {"cstrike/maps/", "valve/maps/"}) {
    if (!path.starts_with(folder)) continue;
    return path.find('/', folder.size()) == std::string_view::npos && path.ends_with(".bsp");
  }
  return false;
}

bool is_wad_name(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kEnding = ".wad";
  const auto is_part = [](char byte) {
    const bool is_upper = byte >= 'A' && byte <= 'Z';
    return byte > ' ' && byte < 0x7f && byte != '/' && byte != '\\' && !is_upper;
  };
  return text.size() > kEnding.size() && text.size() <= kLongest && text.ends_with(kEnding) &&
         std::all_of(text.begin(), text.end(), is_part);
}

bool has_names(std::string_view path) {
  return has_natives(path) || !include_of(path).empty() || is_map(path);
}

bool is_declared_name(std::string_view text) {
  constexpr std::string_view kKinds = "nfsc";
  return text.size() > 2 && kKinds.find(text.front()) != std::string_view::npos && text[1] == ':' &&
         is_native_name(text.substr(2));
}

bool is_named_as_configuration(std::string_view path) {
  const std::string lower = base::to_lower_ascii(path);
  return lower.ends_with(".ini") || lower.ends_with(".cfg") || lower.starts_with("configs/") ||
         lower.find("/configs/") != std::string::npos;
}

bool is_configuration(const Component& component, std::string_view path) {
  const std::vector<std::string>& globs = component.configuration;
  if (globs.empty()) return is_named_as_configuration(path);
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return base::matches_glob(glob, path); });
}

std::set<std::string_view> main_files(const Component& component,
                                      const std::vector<ManifestFile>& files) {
  constexpr std::string_view kGame = "cstrike/";
  constexpr std::string_view kEngine = "engine_i486.so";
  const auto is_loaded = [&](std::string_view path) {
    if (component.layer == Layer::engine) return path == kEngine;
    if (!path.starts_with(kGame)) return false;
    path.remove_prefix(kGame.size());
    const auto& [gamedll, loader, plugin, toolchain] = component.loads;
    return path == gamedll || path == loader || path == plugin;
  };
  std::set<std::string_view> loaded;
  std::set<std::string_view> libraries;
  for (const ManifestFile& file : files) {
    if (is_loaded(file.path)) loaded.insert(file.path);
    if (file.path.ends_with(".so")) libraries.insert(file.path);
  }
  return loaded.empty() ? libraries : loaded;
}

bool is_newer(const ComponentVersion& left, const ComponentVersion& right) {
  if (left.released_at != right.released_at) return left.released_at > right.released_at;
  return version_order(left.version, right.version) > 0;
}

Catalog::Catalog(std::vector<Component> components) : components_(std::move(components)) {
  std::sort(components_.begin(), components_.end(), [](const auto& left, const auto& right) {
    return std::tie(left.sort_order, left.slug) < std::tie(right.sort_order, right.slug);
  });
  for (std::size_t i = 0; i < components_.size(); ++i) {
    Component& component = components_[i];
    std::sort(component.versions.begin(), component.versions.end(),
              [](const auto& left, const auto& right) { return is_newer(left, right); });
    for (ComponentVersion& version : component.versions) hold_for_defects(component, version);
    if (!by_slug_.emplace(component.slug, i).second) {
      throw std::invalid_argument("component " + component.slug +
                                  " is in the catalog more than once");
    }
  }
}

const Component* Catalog::find(std::string_view slug) const {
  const auto found = by_slug_.find(slug);
  return found == by_slug_.end() ? nullptr : &components_[found->second];
}

}  // namespace goldsmith::domain
