// What monitors ask a host: is it alive, is it ready, what has it done. Outside of the API: nginx
// lets these in on loopback alone.
#pragma once

#include <optional>

#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// /healthz (this process answers), /readyz (the database and both pools do; 503 names what does
// not) and /metrics (for Prometheus). Nothing for any other request. Throws nothing of the
// database's.
std::optional<http::Response> answer_status(const http::Request& request, Services& services);

}  // namespace goldsmith::handlers
