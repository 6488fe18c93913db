#include "handlers/errors.hpp"

#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

http::Response error(const Services& services, http::Error code, json::Object context) {
  return http::error_response(code, views::Urls(services.config).docs(), std::move(context));
}

namespace {

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::requests:
      return "requests";
    case Limit::compiles:
      return "compiles";
    case Limit::flood_brake:
      return "flood_brake";
    case Limit::builds:
      break;
  }
  return "builds";
}

}  // namespace

http::Response rate_limited(const Services& services, Limit limit, std::int64_t retry_after) {
  services.metrics.add("goldsmith_limited_total", {{"limit", name_of(limit)}});
  return error(services, http::Error::rate_limited, {{"retry_after", retry_after}});
}

}  // namespace goldsmith::handlers
