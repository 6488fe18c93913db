// The last resort: what a client sees of an exception, and where its details go.
#pragma once

#include <string>

#include "app/http/response.hpp"
#include "app/sys/metrics.hpp"

namespace goldsmith::worker {

// For use in a catch block: turns the exception that is being handled into a response with a fixed
// body, `query_failed` for db::Error and `internal_error` for all else, logs its text under the
// request's id, and counts it.
http::Response failure_response(const std::string& request_id, sys::Metrics& metrics);

}  // namespace goldsmith::worker
