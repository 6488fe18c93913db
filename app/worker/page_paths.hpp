// Addresses outside of the API: which page a path means, also in another spelling (decision R25).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/web/request.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::worker {

// The segments of the page that is asked for, with `.`, `..` and repeated slashes resolved as
// browsers do. std::nullopt for the API: what is below /v1, as sent or when resolved as
// nginx does.
std::optional<std::vector<std::string>> page_segments(const web::Request& request);

// The usual spelling: no slash at the end, and slugs in lower case. There may be no such page.
std::vector<std::string> usual_segments(const std::vector<std::string>& segments);

// The segments of an endpoint that is asked for with several slashes before /v1; std::nullopt for
// any other path.
std::optional<std::vector<std::string>> endpoint_segments(const web::Request& request);

// A request for other segments than those that were sent, with the same query. Its target begins
// with one slash, whatever was sent: it leads to no other host.
web::Request with_segments(const web::Request& request, std::vector<std::string> segments);

// 301 to the target of a request, which caches may keep for a day.
web::Response moved_to(const web::Request& there);

}  // namespace goldsmith::worker
