// What monitors ask a host: is it alive, is it ready, what has it done. Outside of the API: nginx
// lets these in on loopback alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/access/drain_mark.hpp"
#include "app/access/freshness.hpp"
#include "app/archive/depot.hpp"
#include "app/http/request.hpp"
#include "app/http/response.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/sys/metrics.hpp"
#include "db/database.hpp"

namespace goldsmith::handlers {

class StatusHandler {
 public:
  struct Dependencies {
    db::Database& database;
    const sys::Metrics& metrics;
    access::Freshness& freshness;
    service::CatalogCache& catalog;
    const archive::Depot& depot;
    std::filesystem::path fill_request;  // see archive::request_fill
    access::DrainMark drained;
  };
  explicit StatusHandler(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  // /healthz (this process answers), /readyz (the database and both pools do, and the depot is not
  // empty, and the host is not drained; 503 names what is wrong, decision O12) and /metrics (for
  // Prometheus). std::nullopt for any other request. Throws no db::Error.
  std::optional<http::Response> answer(const http::Request& request);

 private:
  // What the depot lacks, of how many mirrored versions.
  struct DepotState {
    std::size_t missing = 0;
    std::size_t versions = 0;
    bool is_usable() const { return versions == 0 || missing < versions; }
  };

  bool database_answers();
  std::optional<DepotState> examine_depot();
  http::Response readiness();

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
