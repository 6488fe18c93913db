// What a list of plugins is asked for, in the API and on the pages: text in names or tags (decision
// R6), words (decision P21), a category, and a toolchain (decision P16).
#pragma once

#include <optional>
#include <string_view>

#include "db/plugin_store.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// A filter by the words of a search; std::nullopt if they can match no plugin.
std::optional<db::PluginFilter> search_filter(std::optional<std::string_view> search);

// Narrows it to `category` and `compiles_with` of a request; std::nullopt if one can match no
// plugin, such as a line of toolchains that is not installed.
std::optional<db::PluginFilter> narrowed(db::PluginFilter filter, Services& services,
                                         const web::Query& query);

// The filter of a request of the API, with `search` and `q`; std::nullopt if nothing can pass it.
std::optional<db::PluginFilter> read_plugin_filter(Services& services, const web::Query& query);

// What a filter by an installed toolchain needs; std::nullopt if that line is not installed.
std::optional<db::CompiledWith> compiled_with(Services& services, std::string_view line);

}  // namespace goldsmith::handlers
