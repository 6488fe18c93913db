// One call of a handler.
#pragma once

#include <string>
#include <vector>

#include "app/access/caller.hpp"
#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::handlers {

struct Call {
  const http::Request& request;
  const std::vector<std::string>& path;  // the `{…}` segments of the route, decoded, in order
  const access::Caller& caller;
  const http::Query& query;  // the route's parameters
};

}  // namespace goldsmith::handlers
