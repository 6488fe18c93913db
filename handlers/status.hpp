// What monitors ask a host: is it alive, is it ready, what has it done. Outside of the API: nginx
// lets these in on loopback alone.
#pragma once

#include <optional>

#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/sys/metrics.hpp"
#include "db/database.hpp"

namespace goldsmith::handlers {

class StatusHandler {
 public:
  StatusHandler(db::Database& database, const sys::Metrics& metrics)
      : database_(database), metrics_(metrics) {}

  // /healthz (this process answers), /readyz (the database and both pools do; 503 names what does
  // not) and /metrics (for Prometheus). std::nullopt for any other request. Throws no db::Error.
  std::optional<http::Response> answer(const http::Request& request);

 private:
  bool database_answers();
  http::Response readiness();

  db::Database& database_;
  const sys::Metrics& metrics_;
};

}  // namespace goldsmith::handlers
