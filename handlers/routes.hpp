// The whole API as one table (routes.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/access/caller.hpp"
#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

using Handler = http::Response (*)(const Call&);

struct Route {
  std::string_view name;  // in /v1/meta's endpoint map
  std::string_view path;  // template: "/v1/plugins/{slug}"
  std::vector<access::Scope> scopes;
  Handler handler;
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> path;  // for Call::path
};
// Nothing when no template fits the segments.
std::optional<Match> find_route(const std::vector<std::string>& segments);

}  // namespace goldsmith::handlers
