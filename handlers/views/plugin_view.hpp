// Plugins and addon packs as JSON (CONTRACT.md, "Plugin" and "Addon pack").
#pragma once

#include "app/domain/addon.hpp"
#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::views {

json::Object plugin_summary(const domain::PluginSummary& plugin, const Urls& urls);
json::Object plugin_detail(const domain::Plugin& plugin, const Urls& urls);
json::Object addon_summary(const domain::AddonSummary& addon, const Urls& urls);
json::Object addon_detail(const domain::AddonDetail& addon, const Urls& urls);

}  // namespace goldsmith::handlers::views
