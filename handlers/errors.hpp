// Errors as handlers return them: with the address of the documentation filled in, and counted.
#pragma once

#include <string>
#include <string_view>

#include "app/domain/permit.hpp"
#include "app/http/error.hpp"
#include "app/sys/metrics.hpp"

namespace goldsmith::handlers {

class Errors {
 public:
  Errors(std::string docs_url, sys::Metrics& metrics)
      : docs_url_(std::move(docs_url)), metrics_(metrics) {}

  http::Response make(http::Error code, json::Object context = {}) const;

  // make(), with a line in the log that has the cause, which no client is shown.
  http::Response log_and_make(http::Error code, std::string_view message,
                              const std::string& request_id, const std::string& cause) const;

  // 429 with the seconds to wait.
  http::Response rate_limited(const domain::RateLimited& refusal) const;

 private:
  std::string docs_url_;
  sys::Metrics& metrics_;
};

}  // namespace goldsmith::handlers
