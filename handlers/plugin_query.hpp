// What a list of plugins is asked for, in the API and on the pages: a category, text in names or
// tags (decision R6), and a toolchain (decision P16).
#pragma once

#include <optional>
#include <string_view>

#include "db/plugin_store.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// From the values of `q` and `category`. std::nullopt if one can match no plugin.
std::optional<db::PluginFilter> read_plugin_filter(std::optional<std::string_view> q,
                                                   std::optional<std::string_view> category = {});

// The same of a request for a list, and `compiles_with`: a line of toolchains that is not installed
// matches nothing.
std::optional<db::PluginFilter> read_directory_filter(Services& services, const http::Query& query);

// What a filter by an installed toolchain needs; std::nullopt if that line is not installed.
std::optional<db::CompiledWith> compiled_with(Services& services, std::string_view line);

}  // namespace goldsmith::handlers
