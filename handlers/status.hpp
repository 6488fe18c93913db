// What monitors ask a host: is it alive, is it ready, what has it done. Outside of the API: nginx
// lets these in on loopback alone.
#pragma once

#include <optional>

#include "app/http/request.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// /healthz (this process answers), /readyz (the database and both pools do, and the depot is not
// empty, and the host is not drained; 503 names what is wrong, decision O12) and /metrics (for
// Prometheus). std::nullopt for any other request. Throws no db::Error.
std::optional<http::Response> answer_status(Services& services, const http::Request& request);

}  // namespace goldsmith::handlers
