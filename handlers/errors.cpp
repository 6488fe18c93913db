#include "handlers/errors.hpp"

#include <string>

#include "app/sys/log.hpp"

namespace goldsmith::handlers {

http::Response Errors::make(http::Error code, json::Object context) const {
  // The row of the code in the table of errors.
  const std::string docs = docs_url_ + "#" + std::string(http::info(code).code);
  return http::error_response(code, docs, std::move(context));
}

http::Response Errors::log_and_make(http::Error code, std::string_view message,
                                    const std::string& request_id, const std::string& cause) const {
  sys::log(sys::LogLevel::error, message, {{"id", request_id}, {"cause", cause}});
  return make(code);
}

http::Response Errors::rate_limited(const domain::RateLimited& refusal) const {
  metrics_.limited.add(domain::to_string(refusal.limit));
  const std::int64_t seconds = refusal.wait.count();
  json::Object context{{"retry_after", seconds}};
  if (refusal.resets_in) context.emplace("resets_in", refusal.resets_in->count());
  http::Response response = make(http::Error::rate_limited, std::move(context));
  if (refusal.resets_in) {
    response.set_header("X-Svc-Resets-In", std::to_string(refusal.resets_in->count()));
  }
  response.reason = domain::to_string(refusal.limit);
  return response;
}

}  // namespace goldsmith::handlers
