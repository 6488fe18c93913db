// One structured line a request.
#pragma once

#include <chrono>
#include <string_view>

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::worker {

// What the log says of a request beside the request and its response.
struct Handled {
  std::string_view route = "-";
  std::string_view tier = "-";            // "-" if no application saw the request
  std::chrono::microseconds duration{0};  // of making the response, not of sending it
};

// id, method, route, status, milliseconds, tier. Neither the target nor any header is
// written: a key that a client put in the wrong place stays out of the log. The web server's log
// has the path, under the same id. A warning for a 5xx, so that those can be asked for alone.
void log_request(const http::Request& request, const http::Response& response,
                 const Handled& handled);

}  // namespace goldsmith::worker
