// What monitors ask a host: is it alive, is it ready, what has it done. Outside of the API: nginx
// lets these in on loopback alone.
#pragma once

#include <optional>

#include "app/access/drain_mark.hpp"
#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/sys/metrics.hpp"
#include "db/database.hpp"

namespace goldsmith::handlers {

class StatusHandler {
 public:
  StatusHandler(db::Database& database, const sys::Metrics& metrics, access::DrainMark drained)
      : database_(database), metrics_(metrics), drained_(std::move(drained)) {}

  // /healthz (this process answers), /readyz (the database and both pools do, and the host is not
  // drained; 503 names what is not so) and /metrics (for Prometheus). std::nullopt for any other
  // request. Throws no db::Error.
  std::optional<http::Response> answer(const http::Request& request);

 private:
  bool database_answers();
  http::Response readiness();

  db::Database& database_;
  const sys::Metrics& metrics_;
  const access::DrainMark drained_;
};

}  // namespace goldsmith::handlers
