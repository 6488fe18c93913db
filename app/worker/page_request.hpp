// Which requests are for the web pages, and how they are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/http/request.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

// The segments of the page that is asked for, with `.`, `..` and repeated slashes resolved as
// browsers do. std::nullopt for the API: what is below /v1, as sent or when resolved as
// nginx does.
std::optional<std::vector<std::string>> page_segments(const http::Request& request);

// The request with its lists joined: a form sends each checkbox as a parameter of its own.
http::Request with_joined_lists(const http::Request& request,
                                const std::vector<handlers::Parameter>& parameters);

}  // namespace goldsmith::worker
