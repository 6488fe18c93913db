#include "handlers/pages/plugin_compiles.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "app/service/compile_hint.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::handlers::pages {
namespace {

// The modules and classes of AMX Mod X itself, as its documentation writes them.
const std::map<std::string_view, std::string_view>& known_names() {
  static const std::map<std::string_view, std::string_view> names{{"cstrike", "CStrike"},
                                                                  {"csx", "CSX"},
                                                                  {"engine", "Engine"},
                                                                  {"fakemeta", "FakeMeta"},
                                                                  {"fun", "Fun"},
                                                                  {"geoip", "GeoIP"},
                                                                  {"hamsandwich", "Ham Sandwich"},
                                                                  {"json", "JSON"},
                                                                  {"mysql", "MySQL"},
                                                                  {"nvault", "nVault"},
                                                                  {"regex", "RegEx"},
                                                                  {"sockets", "Sockets"},
                                                                  {"sqlite", "SQLite"},
                                                                  {"sqlx", "SQLX"},
                                                                  {"xstats", "XStats"}};
  return names;
}

// In load order.
std::vector<const domain::Component*> platforms(const domain::Catalog& catalog) {
  std::vector<const domain::Component*> found;
  for (const domain::Component& component : catalog.components()) {
    const bool is_offered = component.selectable && !component.versions.empty();
    if (is_offered && component.loads.toolchain) found.push_back(&component);
  }
  return found;
}

std::string_view known_name(const std::string& library) {
  const auto found = known_names().find(library);
  return found == known_names().end() ? std::string_view(library) : found->second;
}

}  // namespace

bool is_hopeless(const domain::PluginVersion& version, const views::Fingerprints& fingerprints) {
  return !fingerprints.empty() &&
         std::all_of(fingerprints.begin(), fingerprints.end(), [&](const auto& installed) {
           return views::compiles_with(version, installed.first, fingerprints) == "failed";
         });
}

bool may_compile(const domain::PluginVersion& version, const std::string& line,
                 const views::Fingerprints& fingerprints) {
  if (!fingerprints.empty() && !fingerprints.contains(line)) return false;
  return views::compiles_with(version, line, fingerprints) != "failed";
}

std::string working_line(const domain::PluginVersion& version, const std::string& own,
                         const views::Fingerprints& fingerprints) {
  const auto compiles = [&](const std::string& line) {
    return views::compiles_with(version, line, fingerprints);
  };
  if (may_compile(version, own, fingerprints)) return own;
  std::string line;
  for (const std::string& each : domain::toolchain_lines()) {
    if (!may_compile(version, each, fingerprints)) continue;
    // The newest that is known to work, or else the newest that may.
    if (compiles(each) == "ok" || line.empty() || compiles(line) != "ok") line = each;
  }
  return line;
}

const domain::Component* platform_for(const std::vector<const domain::PluginVersion*>& versions,
                                      const views::Fingerprints& fingerprints,
                                      const domain::Catalog& catalog) {
  const auto says = [&](const domain::Component& platform, bool is_known) {
    const std::string& line = *platform.loads.toolchain;
    if (!fingerprints.contains(line)) return false;
    return std::any_of(versions.begin(), versions.end(), [&](const domain::PluginVersion* version) {
      const std::string_view verdict = views::compiles_with(*version, line, fingerprints);
      return is_known ? verdict == "ok" : verdict != "failed";
    });
  };
  const domain::Component* best = nullptr;
  for (const domain::Component* platform : platforms(catalog)) {
    if (!says(*platform, false)) continue;
    if (platform->is_default) return platform;
    if (best == nullptr || (!says(*best, true) && says(*platform, true))) best = platform;
  }
  return best;
}

std::vector<const domain::Component*> working_platforms(const domain::PluginVersion& version,
                                                        const views::Fingerprints& fingerprints,
                                                        const domain::Catalog& catalog) {
  std::vector<const domain::Component*> working = platforms(catalog);
  std::erase_if(working, [&](const domain::Component* platform) {
    return views::compiles_with(version, *platform->loads.toolchain, fingerprints) != "ok";
  });
  return working;
}

json::Array rejections_of(const domain::PluginVersion& version,
                          const views::Fingerprints& fingerprints) {
  std::vector<service::Rejection> all;
  for (const std::string& line : domain::toolchain_lines()) {
    if (views::compiles_with(version, line, fingerprints) != "failed") continue;
    const domain::CompileFindings* findings = views::findings_of(version, line, fingerprints);
    if (findings != nullptr) service::add_rejection(all, line, *findings);
  }
  json::Array rejections;
  for (const service::Rejection& rejection : all) {
    rejections.push_back(json::Object{{"lines", rejection.lines},
                                      {"hint", rejection.findings.hint},
                                      {"errors", rejection.findings.errors}});
  }
  return rejections;
}

std::string needs_text(const domain::PluginVersion& version, const views::CompileContext& context) {
  const domain::PluginNeeds* needs = views::needs_of(version, context.fingerprints);
  if (needs == nullptr || needs->required.empty()) return "";
  std::vector<std::string> components;  // first: they have to be chosen
  std::vector<std::string> others;
  for (const domain::PluginNeed& need : needs->required) {
    const db::ModuleOwner* owner = views::owner_of(need, context.owners);
    if (owner == nullptr) {
      others.emplace_back(known_name(need.name));
    } else {
      components.push_back(owner->name);
    }
  }
  components.insert(components.end(), others.begin(), others.end());
  return sys::join(components, ", ");
}

std::string works_with_text(const domain::PluginVersion& version,
                            const views::Fingerprints& fingerprints) {
  std::vector<std::string> lines;
  for (const std::string& line : domain::toolchain_lines()) {
    if (views::compiles_with(version, line, fingerprints) == "ok") lines.push_back(line);
  }
  return sys::join(lines, ", ");
}

std::vector<std::string> platform_libraries() {
  std::vector<std::string> libraries;
  for (const auto& [library, name] : known_names()) libraries.emplace_back(library);
  return libraries;
}

}  // namespace goldsmith::handlers::pages
