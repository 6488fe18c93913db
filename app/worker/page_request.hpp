// Which requests are for the web pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/http/request.hpp"

namespace goldsmith::worker {

// The segments of the page that is asked for, with `.`, `..` and repeated slashes resolved as
// browsers do. std::nullopt for the API: what is below /v1, as sent or when resolved as
// nginx does.
std::optional<std::vector<std::string>> page_segments(const http::Request& request);

}  // namespace goldsmith::worker
