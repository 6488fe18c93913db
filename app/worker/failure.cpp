#include "app/worker/failure.hpp"

#include <exception>

#include "app/http/error.hpp"
#include "app/sys/log.hpp"
#include "db/database.hpp"

namespace goldsmith::worker {
namespace {

http::Response logged(http::Error error, const std::string& request_id, const std::string& cause) {
  sys::log(sys::LogLevel::error, "request failed",
           {{"id", request_id}, {"error", std::string(http::info(error).code)}, {"cause", cause}});
  return http::error_response(error, "");
}

}  // namespace

http::Response failure_response(const std::string& request_id, sys::Metrics& metrics) {
  try {
    throw;
  } catch (const db::Error& error) {
    metrics.database_errors.add();
    return logged(http::Error::query_failed, request_id, error.what());
  } catch (const std::exception& error) {
    return logged(http::Error::internal_error, request_id, error.what());
  } catch (...) {
    return logged(http::Error::internal_error, request_id, "an exception of an unknown type");
  }
}

}  // namespace goldsmith::worker
