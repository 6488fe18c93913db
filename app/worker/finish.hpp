// What every response gets, whatever made it.
#pragma once

#include "app/http/request.hpp"
#include "app/http/response.hpp"

namespace goldsmith::worker {

// Conditional GET of JSON responses of 200 (decision R11), CORS (decision R2) and nosniff.
// Downloads keep the validators that they set themselves.
void finish(const http::Request& request, http::Response& response);

}  // namespace goldsmith::worker
