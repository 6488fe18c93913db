// The whole API as one table (routes.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// The `{…}` segments of a route's path, decoded, in order.
using PathValues = std::vector<std::string>;

using Handler = http::Response (*)(const http::Request&, const PathValues&, Services&);

struct Route {
  std::string_view name;  // in /v1/meta's endpoint map
  std::string_view path;  // template: "/v1/plugins/{slug}"
  Handler handler;
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  PathValues values;
};
// Nothing when no template fits the segments.
std::optional<Match> find_route(const std::vector<std::string>& segments);

}  // namespace goldsmith::handlers
