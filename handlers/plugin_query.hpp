// What a list of plugins is asked for, in the API and on the pages: a category, and text in names
// or tags (decision R6).
#pragma once

#include <optional>
#include <string_view>

#include "db/plugin_store.hpp"

namespace goldsmith::handlers {

// From the values of `q` and `category`. std::nullopt if one can match no plugin.
std::optional<db::PluginFilter> read_plugin_filter(std::optional<std::string_view> q,
                                                   std::optional<std::string_view> category = {});

}  // namespace goldsmith::handlers
