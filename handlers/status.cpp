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

}  // namespace

bool StatusHandler::database_answers() {
  try {
    database_.query("SELECT 1");
    return true;
  } catch (const db::Error&) {
    return false;
  }
}

http::Response StatusHandler::readiness() {
  const bool database = database_answers();
  const auto api = static_cast<std::int64_t>(metrics_.workers("api"));
  const auto build = static_cast<std::int64_t>(metrics_.workers("build"));
  const bool draining = drained_.is_set();
  const bool ready = database && api > 0 && build > 0 && !draining;
  http::Response response = plain(json::to_string(json::Object{{"database", database},
                                                               {"draining", draining},
                                                               {"status", ready},
                                                               {"workers_api", api},
                                                               {"workers_build", build}}),
                                  http::kJsonContentType);
  if (!ready) response.status = 503;
  return response;
}

std::optional<http::Response> StatusHandler::answer(const http::Request& request) {
  if (request.segments.size() != 1) return std::nullopt;
  const std::string& name = request.segments.front();
  if (name == "healthz") return plain("ok\n", "text/plain; charset=utf-8");
  if (name == "readyz") return readiness();
  if (name == "metrics") return plain(metrics_.text(), "text/plain; version=0.0.4; charset=utf-8");
  return std::nullopt;
}

}  // namespace goldsmith::handlers
