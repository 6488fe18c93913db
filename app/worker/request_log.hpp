// One structured line a request, or a notable one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "app/base/config.hpp"
#include "app/web/request.hpp"
#include "app/web/response.hpp"

namespace goldsmith::worker {

// What the log says of a request beside the request and its response.
struct Handled {
  std::string_view route = "-";
  std::string_view tier = "-";            // "-" if no application saw the request
  std::chrono::microseconds duration{0};  // of making the response, not of sending it
};

// The web server's log has every request, under the same id. By default the worker adds what that
// log can't know: failures (5xx), requests that took a second or more, and why a caller was refused
// (401, 403, 429). Of refusals at most ten in ten seconds: a caller who hammers at a closed door
// must not push errors out of the journal; the next line says how many were left out.
class RequestLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit RequestLog(base::RequestLog which) : which_(which) {}

  // id, method, route, status, milliseconds, tier, and the reason of a refusal or failure. Neither
  // the target nor any header is written: a key that a client put in the wrong place stays out of
  // the log. A warning for a 5xx, so that those can be asked for alone.
  void log(const web::Request& request, const web::Response& response, const Handled& handled,
           Time now);

 private:
  bool may_log_refusal(Time now);

  base::RequestLog which_;
  Time refusals_since_{};
  std::uint64_t refusals_ = 0;  // since then
  std::uint64_t left_out_ = 0;
};

}  // namespace goldsmith::worker
