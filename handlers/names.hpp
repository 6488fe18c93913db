// Who has a name that sources use: components in which versions, and plugins of the directory
// (decision S41).
#pragma once

#include <string>
#include <string_view>

#include "app/base/json.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// Whether it can be such a name, or that of an include without its extension.
bool is_searched_name(std::string_view name);

// {name, declared: [{component, title, kind, include, since, until}], plugins: [{slug, name,
// page_url}]}. Throws db::Error and base::FileError.
json::Object name_json(Services& services, const std::string& name);

}  // namespace goldsmith::handlers
