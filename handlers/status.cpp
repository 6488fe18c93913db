#include <string>

#include "app/archive/depot_upkeep.hpp"
#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/web/error.hpp"
#include "handlers/endpoints.hpp"

namespace goldsmith::handlers {
namespace {

web::Response plain(std::string body, std::string_view type) {
  web::Response response;
  response.set_header("Content-Type", type);
  response.set_header("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

void add_gauge(std::string& text, const std::string& name, const char* help, std::int64_t value) {
  text.append("# HELP ").append(name).append(" ").append(help);
  text.append("\n# TYPE ").append(name).append(" gauge\n");
  text.append(name).append(" ").append(std::to_string(value)).append("\n");
}

// Nothing before the first time.
std::string depot_metrics(const archive::Depot& depot) {
  std::string text;
  try {
    const auto last = archive::last_verification(depot);
    if (!last) return "";
    add_gauge(text, "goldsmith_depot_verified_timestamp_seconds",
              "When all files of the depot were last read and compared with the catalog.",
              last->ended_at.time_since_epoch().count());
    add_gauge(text, "goldsmith_depot_damaged_files", "Files of the depot that were damaged then.",
              static_cast<std::int64_t>(last->damaged));
  } catch (const base::FileError&) {
  }
  return text;
}

// What the depot lacks, of how many mirrored versions.
struct DepotState {
  std::size_t missing = 0;
  std::size_t versions = 0;
  bool is_usable() const { return versions == 0 || missing < versions; }
};

// What this program asks, which older tables may not know.
bool database_answers(Services& services) {
  try {
    services.database.query("SELECT 1");
    services.freshness.epoch();
    return !services.freshness.has_older_schema();
  } catch (const db::Error&) {
    return false;
  }
}

// std::nullopt: only the database knows what belongs there.
std::optional<DepotState> examine_depot(Services& services) {
  try {
    const auto catalog = services.catalog.catalog(services.freshness.epoch());
    const DepotState state{archive::find_missing(*catalog, services.depot).size(),
                           archive::count_versions(*catalog)};
    if (state.missing > 0) archive::request_fill(services.fill_request);
    return state;
  } catch (const db::Error&) {
    return std::nullopt;
  }
}

// A host that lacks some files still answers nearly everything: taken out of service for each newly
// mirrored version, the other hosts would leave all to the one that has it.
web::Response readiness(Services& services) {
  const bool database = database_answers(services);
  const std::optional<DepotState> depot = database ? examine_depot(services) : std::nullopt;
  const auto api = static_cast<std::int64_t>(services.metrics.workers("api"));
  const auto build = static_cast<std::int64_t>(services.metrics.workers("build"));
  const bool draining = services.drained.is_set();
  const bool ready = database && depot && depot->is_usable() && api > 0 && build > 0 && !draining;
  const json::Value missing =
      depot ? json::Value(static_cast<std::int64_t>(depot->missing)) : json::Value();
  web::Response response = plain(json::to_string(json::Object{{"database", database},
                                                              {"depot_missing", missing},
                                                              {"draining", draining},
                                                              {"status", ready},
                                                              {"workers_api", api},
                                                              {"workers_build", build}}),
                                 web::kJsonContentType);
  if (!ready) response.status = 503;
  return response;
}

}  // namespace

std::optional<web::Response> answer_status(Services& services, const web::Request& request) {
  if (request.segments.size() != 1) return std::nullopt;
  const std::string& name = request.segments.front();
  if (name == "healthz") return plain("ok\n", "text/plain; charset=utf-8");
  if (name == "readyz") return readiness(services);
  if (name == "metrics") {
    return plain(services.metrics.text() + depot_metrics(services.depot),
                 "text/plain; version=0.0.4; charset=utf-8");
  }
  return std::nullopt;
}

}  // namespace goldsmith::handlers
