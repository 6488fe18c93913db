#include "handlers/meta.hpp"

#include "handlers/routes.hpp"

namespace goldsmith::handlers {
namespace {

json::Object endpoint_map() {
  json::Object endpoints;
  for (const Route& route : routes()) endpoints[std::string(route.name)] = route.path;
  return endpoints;
}

json::Array categories_json(const std::vector<domain::CategoryCount>& categories) {
  json::Array array;
  for (const domain::CategoryCount& item : categories) {
    array.push_back(json::Object{{"category", item.category}, {"count", item.count}});
  }
  return array;
}

json::Array scopes_json(const access::Caller& caller) {
  json::Array array;
  for (const access::Scope scope : caller.scopes) array.push_back(access::to_string(scope));
  return array;
}

}  // namespace

http::Response MetaHandler::show(const Call& call) {
  const auto& lines = domain::toolchain_lines();
  const access::Caller& caller = call.caller;
  http::Response response =
      http::json_ok({{"api_version", "v1"},
                     {"auth", caller.tier()},
                     {"authenticated", !caller.anonymous()},
                     {"scopes", scopes_json(caller)},
                     {"amxx_toolchains", json::Array(lines.begin(), lines.end())},
                     {"plugin_categories", categories_json(plugins_.categories())},
                     {"rate_limits",
                      json::Object{{"per_day", caller.per_day}, {"per_minute", caller.per_minute}}},
                     {"endpoints", endpoint_map()},
                     {"docs", urls_.docs()}});
  response.varies_by_key = true;
  return response;
}

}  // namespace goldsmith::handlers
