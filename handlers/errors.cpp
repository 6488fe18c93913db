#include "handlers/errors.hpp"

#include <string>

#include "app/base/log.hpp"

namespace goldsmith::handlers {

web::Response Errors::make(web::Error code, json::Object context) const {
  // The row of the code in the table of errors.
  const std::string docs = docs_url_ + "#" + std::string(web::info(code).code);
  return web::error_response(code, docs, std::move(context));
}

web::Response Errors::log_and_make(web::Error code, std::string_view message,
                                   const std::string& request_id, const std::string& cause) const {
  base::log(base::LogLevel::error, message, {{"id", request_id}, {"cause", cause}});
  return make(code);
}

web::Response Errors::rate_limited(const domain::RateLimited& refusal) const {
  metrics_.limited.add(domain::to_string(refusal.limit));
  const std::int64_t seconds = refusal.wait.count();
  json::Object context{{"retry_after", seconds}};
  if (refusal.resets_in) context.emplace("resets_in", refusal.resets_in->count());
  web::Response response = make(web::Error::rate_limited, std::move(context));
  if (refusal.resets_in) {
    response.set_header("X-Svc-Resets-In", std::to_string(refusal.resets_in->count()));
  }
  response.reason = domain::to_string(refusal.limit);
  return response;
}

}  // namespace goldsmith::handlers
