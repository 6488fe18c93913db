// Plugins and addon packs as JSON (CONTRACT.md, "Plugin" and "Addon pack").
#pragma once

#include <string>
#include <string_view>

#include "app/domain/addon.hpp"
#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "db/plugin_store.hpp"
#include "handlers/views/compile_view.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::views {

// The complete response of a list.
std::string plugin_page(const Page& page, const db::PluginPage& found, const Urls& urls);
// The complete response of a plugin.
std::string plugin_detail(const domain::Plugin& plugin, const CompileContext& context,
                          const Urls& urls);
json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls);
json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls);

}  // namespace goldsmith::handlers::views
