#include "handlers/status.hpp"

#include <string>

#include "app/http/error.hpp"
#include "app/json/value.hpp"

namespace goldsmith::handlers {
namespace {

http::Response plain(std::string body, std::string_view type) {
  http::Response response;
  response.set_header("Content-Type", type);
  response.set_header("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

bool database_answers(Services& services) {
  try {
    services.database.query("SELECT 1");
    return true;
  } catch (const db::Error&) {
    return false;
  }
}

http::Response readiness(Services& services) {
  const bool database = database_answers(services);
  const auto api = static_cast<std::int64_t>(services.metrics.workers("api"));
  const auto build = static_cast<std::int64_t>(services.metrics.workers("build"));
  const bool ready = database && api > 0 && build > 0;
  http::Response response = plain(json::to_string(json::Object{{"database", database},
                                                               {"status", ready},
                                                               {"workers_api", api},
                                                               {"workers_build", build}}),
                                  http::kJsonContentType);
  if (!ready) response.status = 503;
  return response;
}

}  // namespace

std::optional<http::Response> answer_status(const http::Request& request, Services& services) {
  if (request.segments.size() != 1) return std::nullopt;
  const std::string& name = request.segments.front();
  if (name == "healthz") return plain("ok\n", "text/plain; charset=utf-8");
  if (name == "readyz") return readiness(services);
  if (name == "metrics") {
    return plain(services.metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
  }
  return std::nullopt;
}

}  // namespace goldsmith::handlers
