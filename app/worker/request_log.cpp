#include "app/worker/request_log.hpp"

#include <cstdio>

#include "app/sys/log.hpp"

namespace goldsmith::worker {
namespace {

// A method is a token of any length; those that are served are short.
constexpr std::size_t kLongestMethod = 16;

std::string milliseconds(std::chrono::microseconds duration) {
  char text[32];
  const std::chrono::duration<double, std::milli> value = duration;
  std::snprintf(text, sizeof text, "%.2f", value.count());
  return text;
}

}  // namespace

void log_request(const http::Request& request, const http::Response& response,
                 const Handled& handled) {
  const auto level = response.status >= 500 ? sys::LogLevel::warning : sys::LogLevel::info;
  sys::log(level, "request",
           {{"id", request.id},
            {"method", request.method.substr(0, kLongestMethod)},
            {"route", std::string(handled.route)},
            {"status", std::to_string(response.status)},
            {"ms", milliseconds(handled.duration)},
            {"tier", std::string(handled.tier)}});
}

}  // namespace goldsmith::worker
