// The script that installs a server and updates it (decision S24). The build joins it from the
// parts in update/.
#pragma once

#include <string>
#include <string_view>

#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::documents {

// `selection`: of creator::request_query(). Every value is quoted for the shell, whatever is in it.
std::string updater(std::string_view selection, const views::Urls& urls);

}  // namespace goldsmith::handlers::documents
