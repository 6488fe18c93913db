#include "app/worker/request_log.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "app/base/log.hpp"

namespace goldsmith::worker {
namespace {

// A method is a token of any length; those that are served are short.
constexpr std::size_t kLongestMethod = 16;
constexpr std::chrono::seconds kSlow{1};
constexpr std::chrono::seconds kRefusalPeriod{10};
constexpr std::uint64_t kRefusalsInPeriod = 10;

std::string milliseconds(std::chrono::microseconds duration) {
  char text[32];
  const std::chrono::duration<double, std::milli> value = duration;
  std::snprintf(text, sizeof text, "%.2f", value.count());
  return text;
}

bool is_failure(int status) { return status >= 500; }
bool is_refusal(int status) { return status == 401 || status == 403 || status == 429; }

void write(const web::Request& request, const web::Response& response, const Handled& handled) {
  const auto level = is_failure(response.status) ? base::LogLevel::warning : base::LogLevel::info;
  std::vector<base::LogField> fields = {{"id", request.id},
                                        {"method", request.method.substr(0, kLongestMethod)},
                                        {"route", std::string(handled.route)},
                                        {"status", std::to_string(response.status)},
                                        {"ms", milliseconds(handled.duration)},
                                        {"tier", std::string(handled.tier)}};
  if (is_failure(response.status) || is_refusal(response.status)) {
    fields.push_back({"reason", std::string(response.reason)});
  }
  if (!request.front_id.empty()) fields.push_back({"front_id", request.front_id});
  base::log(level, "request", fields);
}

}  // namespace

bool RequestLog::may_log_refusal(Time now) {
  if (now - refusals_since_ >= kRefusalPeriod) {
    if (left_out_ > 0) {
      base::log(base::LogLevel::info, "refused requests were not logged",
                {{"requests", std::to_string(left_out_)}});
    }
    refusals_since_ = now;
    refusals_ = 0;
    left_out_ = 0;
  }
  if (++refusals_ <= kRefusalsInPeriod) return true;
  ++left_out_;
  return false;
}

void RequestLog::log(const web::Request& request, const web::Response& response,
                     const Handled& handled, Time now) {
  const bool is_logged = which_ == base::RequestLog::all || is_failure(response.status) ||
                         handled.duration >= kSlow ||
                         (is_refusal(response.status) && may_log_refusal(now));
  if (is_logged) write(request, response, handled);
}

}  // namespace goldsmith::worker
