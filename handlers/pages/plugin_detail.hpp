// What a plugin's page tells of its compiles: where a version works, why it does not elsewhere, and
// what it needs (decision P16).
#pragma once

#include <string>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {

// True if it is known that the version compiles with no installed toolchain.
bool is_hopeless(const domain::PluginVersion& version, const views::Fingerprints& fingerprints);

// False if the toolchain of the line rejects the version, or is not installed.
bool may_compile(const domain::PluginVersion& version, const std::string& line,
                 const views::Fingerprints& fingerprints);

// The toolchain to download the version for: `own`, unless that can't compile it and another one is
// known to, or else may; "" if none may.
std::string working_line(const domain::PluginVersion& version, const std::string& own,
                         const views::Fingerprints& fingerprints);

// The AMX Mod X of a server on which one of the versions works: the recommended one if it may, else
// one that is known to, else one that may. Null if there is none: no component can be chosen whose
// toolchain is installed and not known to fail.
const domain::Component* platform_for(const std::vector<const domain::PluginVersion*>& versions,
                                      const views::Fingerprints& fingerprints,
                                      const domain::Catalog& catalog);

// The AMX Mod X components that can be chosen with which the version is known to compile.
std::vector<const domain::Component*> working_platforms(const domain::PluginVersion& version,
                                                        const views::Fingerprints& fingerprints,
                                                        const domain::Catalog& catalog);

// The toolchains that reject the version, with hint and errors: once if they report the same.
json::Array rejections_of(const domain::PluginVersion& version,
                          const views::Fingerprints& fingerprints);

// What a version needs: what has to be chosen first, then plugins, then the rest.
struct NeededThing {
  std::string name;  // "ReAPI"
  std::string url;   // of its page; "" = it has none

  friend bool operator==(const NeededThing&, const NeededThing&) = default;
};
std::vector<NeededThing> needed_things(const domain::PluginVersion& version,
                                       const views::CompileContext& context);
// "ReAPI, SQLX"; "" if it needs nothing, or that is unknown.
std::string needs_text(const domain::PluginVersion& version, const views::CompileContext& context);
// The same of modules and libraries of these names, where a build compiles with the line.
std::string told_needs(const std::vector<std::string>& names, const std::string& line,
                       const creator::Providers& providers);

// "Runs with AMX Mod X 1.10 · Compiles with AMX Mod X 1.9": what a check with the installed
// toolchains and the starts after it showed, in the reader's language. Never "".
std::string works_text(const domain::PluginVersion& version,
                       const views::Fingerprints& fingerprints);

// The libraries and classes that are part of AMX Mod X.
std::vector<std::string> platform_libraries();

}  // namespace goldsmith::handlers::pages
