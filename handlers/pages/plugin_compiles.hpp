// What a plugin's page tells of its compiles: where a version works, why it does not elsewhere, and
// what it needs (decision P16).
#pragma once

#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "handlers/views/compile_view.hpp"

namespace goldsmith::handlers::pages {

// True if it is known that the version compiles with no installed toolchain.
bool is_hopeless(const domain::PluginVersion& version, const views::Fingerprints& fingerprints);

// The toolchain to download the version for: `own`, unless that is known to fail and another one is
// known to work, or else may; "" if all are known to fail.
std::string working_line(const domain::PluginVersion& version, const std::string& own,
                         const views::Fingerprints& fingerprints);

// The toolchains that reject the version, with hint and errors: once if they report the same.
json::Array rejections_of(const domain::PluginVersion& version,
                          const views::Fingerprints& fingerprints);

// "ReAPI, SQLX"; "" if it needs nothing, or that is unknown.
std::string needs_text(const domain::PluginVersion& version, const views::CompileContext& context);

// "1.9, 1.10": the installed toolchains that compile the version.
std::string works_with_text(const domain::PluginVersion& version,
                            const views::Fingerprints& fingerprints);

// The libraries and classes that are part of AMX Mod X.
std::vector<std::string> platform_libraries();

}  // namespace goldsmith::handlers::pages
