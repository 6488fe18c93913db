// Errors as handlers return them: with the address of the documentation filled in, and counted.
#pragma once

#include <string>
#include <string_view>

#include "app/domain/permit.hpp"
#include "app/host/metrics.hpp"
#include "app/web/error.hpp"

namespace goldsmith::handlers {

class Errors {
 public:
  Errors(std::string docs_url, host::Metrics& metrics)
      : docs_url_(std::move(docs_url)), metrics_(metrics) {}

  web::Response make(web::Error code, json::Object context = {}) const;

  // make(), with a line in the log that has the cause, which no client is shown.
  web::Response log_and_make(web::Error code, std::string_view message,
                             const std::string& request_id, const std::string& cause) const;

  // 429 with the seconds to wait.
  web::Response rate_limited(const domain::RateLimited& refusal) const;

 private:
  std::string docs_url_;
  host::Metrics& metrics_;
};

}  // namespace goldsmith::handlers
