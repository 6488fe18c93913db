#include "handlers/pages/plugin_detail.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/server_plugins.hpp"
#include "app/domain/record.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/views/plugin_view.hpp"

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
  std::vector<compile::Rejection> all;
  for (const std::string& line : domain::toolchain_lines()) {
    if (views::compiles_with(version, line, fingerprints) != "failed") continue;
    const domain::CompileFindings* findings = views::findings_of(version, line, fingerprints);
    if (findings != nullptr) compile::add_rejection(all, line, *findings);
  }
  json::Array rejections;
  for (const compile::Rejection& rejection : all) {
    rejections.push_back(json::Object{{"lines", rejection.lines},
                                      {"hint", rejection.findings.hint},
                                      {"errors", rejection.findings.errors}});
  }
  return rejections;
}

std::vector<NeededThing> needed_things(const domain::PluginVersion& version,
                                       const views::CompileContext& context) {
  using Kind = creator::Provider::Kind;
  constexpr std::size_t kMostFunctions = 3;
  std::array<std::vector<NeededThing>, 3> things;  // components, plugins, and what nobody else has
  std::vector<std::string> functions;              // that nobody is known to have
  const auto add = [](std::vector<NeededThing>& list, NeededThing thing) {
    if (std::find(list.begin(), list.end(), thing) == list.end()) list.push_back(std::move(thing));
  };
  for (const views::Needed& need :
       views::needs_of(version, context).value_or(std::vector<views::Needed>())) {
    const creator::Provider& provider = need.provider;
    if (provider.kind == Kind::component) {
      add(things[0], {provider.title, ""});
    } else if (provider.kind == Kind::plugin) {
      add(things[1], {provider.title, plugin_path(provider.slug)});
    } else if (need.kind == views::Needed::Kind::native) {
      functions.push_back(need.name + "()");
    } else {
      add(things[2], {std::string(known_name(need.name)), ""});
    }
  }
  if (!functions.empty()) things[2].push_back({tr(base::some_of(functions, kMostFunctions)), ""});
  things[0].insert(things[0].end(), things[1].begin(), things[1].end());
  things[0].insert(things[0].end(), things[2].begin(), things[2].end());
  return std::move(things[0]);
}

std::string needs_text(const domain::PluginVersion& version, const views::CompileContext& context) {
  return base::join(needed_things(version, context), ", ", &NeededThing::name);
}

std::string told_needs(const std::vector<std::string>& names, const std::string& line,
                       const creator::Providers& providers) {
  using Kind = creator::Provider::Kind;
  std::vector<std::string> told;
  std::vector<std::string> others;
  for (const std::string& name : names) {
    const creator::Provider provider = providers.of({name}, line);
    const bool is_named = provider.kind == Kind::component || provider.kind == Kind::plugin;
    std::vector<std::string>& list = provider.kind == Kind::component ? told : others;
    std::string title = is_named ? provider.title : std::string(known_name(name));
    if (std::ranges::find(list, title) == list.end()) list.push_back(std::move(title));
  }
  told.insert(told.end(), others.begin(), others.end());
  return base::join(told, ", ");
}

std::string works_text(const domain::PluginVersion& version,
                       const views::Fingerprints& fingerprints) {
  std::vector<std::string> playing;
  std::vector<std::string> running;   // and not known to play
  std::vector<std::string> compiled;  // and not known to run or not
  std::vector<std::string> faulty;
  for (const std::string& line : domain::toolchain_lines()) {
    const std::string_view runs = views::runs_with(version, line, fingerprints);
    if (views::plays_with(version, line, fingerprints) == "plays") {
      playing.push_back(line);
    } else if (runs == "runs") {
      running.push_back(line);
    } else if (runs == "faulty") {
      faulty.push_back(line);
    } else if (views::compiles_with(version, line, fingerprints) == "ok") {
      compiled.push_back(line);
    }
  }
  std::vector<std::string> texts;
  const auto add = [&](std::string text, bool is_told) {
    if (is_told) texts.push_back(std::move(text));
  };
  add(tr("Plays with AMX Mod X {lines}", {{"lines", base::join(playing, ", ")}}), !playing.empty());
  add(tr("Runs with AMX Mod X {lines}", {{"lines", base::join(running, ", ")}}), !running.empty());
  add(tr("Compiles with AMX Mod X {lines}", {{"lines", base::join(compiled, ", ")}}),
      !compiled.empty());
  add(tr("Does not run with AMX Mod X {lines}", {{"lines", base::join(faulty, ", ")}}),
      !faulty.empty());
  if (!texts.empty()) return base::join(texts, " · ");
  return is_hopeless(version, fingerprints) ? tr("Does not compile") : tr("Not checked yet");
}

std::vector<std::string> platform_libraries() {
  std::vector<std::string> libraries;
  for (const auto& [library, name] : known_names()) libraries.emplace_back(library);
  return libraries;
}

}  // namespace goldsmith::handlers::pages
