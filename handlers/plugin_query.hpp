// What a list of plugins is asked for, in the API and on the pages (decisions R4, R6).
#pragma once

#include <optional>

#include "app/http/request.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::handlers {

// From `q` and `category`. std::nullopt if a value can match no plugin.
std::optional<db::PluginFilter> read_plugin_filter(const http::Query& query);

}  // namespace goldsmith::handlers
