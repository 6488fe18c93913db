// Plugins, packs and pages of lists as the templates show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/domain/addon.hpp"
#include "app/domain/plugin.hpp"
#include "app/json/value.hpp"
#include "handlers/services.hpp"
#include "handlers/views/paging.hpp"

namespace goldsmith::handlers::pages {

// With what their latest versions work with and need.
json::Array plugin_cards(Services& services, const std::vector<domain::PluginSummary>& plugins);
json::Object addon_card(const domain::AddonSummary& addon);

// "4.55 of 5 (29 ratings)", or "" without ratings.
std::string rating_text(const domain::Rating& rating);

// Links to the neighbours of a page of a list. `address` is that of the list, with the rest of its
// query and `?` or `&` at its end.
json::Object paging(const views::Page& page, std::int64_t total, const std::string& address);

}  // namespace goldsmith::handlers::pages
