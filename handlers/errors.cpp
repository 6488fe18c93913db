#include "handlers/errors.hpp"

#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

http::Response error(const Services& services, http::Error code, json::Object context) {
  return http::error_response(code, views::Urls(services.config).docs(), std::move(context));
}

http::Response rate_limited(const Services& services, std::int64_t retry_after) {
  return error(services, http::Error::rate_limited, {{"retry_after", retry_after}});
}

}  // namespace goldsmith::handlers
