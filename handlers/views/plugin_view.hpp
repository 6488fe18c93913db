// Plugins and addon packs as JSON (CONTRACT.md, "Plugin" and "Addon pack").
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/domain/addon.hpp"
#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "db/plugin_store.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::views {

// The complete response of a list.
std::string plugin_page(const Page& page, const db::PluginPage& found, const Urls& urls);
// The fingerprints of the installed toolchains, by line.
using Fingerprints = std::map<std::string, std::string>;
// The complete response of a plugin.
std::string plugin_detail(const domain::Plugin& plugin, const Fingerprints& fingerprints,
                          const Urls& urls);
// Whether a version compiles with the toolchain of that line: "ok", "failed" or "unknown" (decision
// P16).
std::string_view compiles_with(const domain::PluginVersion& version, const std::string& line,
                               const Fingerprints& fingerprints);
json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls);
json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls);

}  // namespace goldsmith::handlers::views
