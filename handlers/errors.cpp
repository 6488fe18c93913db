#include "handlers/errors.hpp"

#include <string>

#include "app/archive/depot_upkeep.hpp"
#include "app/base/log.hpp"

namespace goldsmith::handlers {

web::Response Errors::make(domain::Error code, json::Object context) const {
  // The row of the code in the table of errors.
  const std::string docs = docs_url_ + "#" + std::string(domain::info(code).code);
  return web::error_response(code, docs, std::move(context));
}

web::Response Errors::make(const domain::Failure& failure, const std::string& request_id) const {
  if (failure.refusal) return rate_limited(*failure.refusal);
  note(failure, request_id);
  web::Response response = make(failure.code, failure.fields);
  if (failure.wait) response.set_header("Retry-After", std::to_string(failure.wait->count()));
  return response;
}

void Errors::note(const domain::Failure& failure, const std::string& request_id) const {
  if (failure.event.empty()) return;
  base::log(base::LogLevel::error, failure.event, {{"id", request_id}, {"cause", failure.cause}});
  if (failure.lacks_file) archive::request_fill(fill_request_);
}

web::Response Errors::rate_limited(const domain::RateLimited& refusal) const {
  metrics_.limited.add(domain::to_string(refusal.limit));
  const std::int64_t seconds = refusal.wait.count();
  json::Object context{{"retry_after", seconds}};
  if (refusal.resets_in) context.emplace("resets_in", refusal.resets_in->count());
  web::Response response = make(domain::Error::rate_limited, std::move(context));
  if (refusal.resets_in) {
    response.set_header("X-Svc-Resets-In", std::to_string(refusal.resets_in->count()));
  }
  response.reason = domain::to_string(refusal.limit);
  return response;
}

}  // namespace goldsmith::handlers
