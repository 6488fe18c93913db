// Errors as handlers return them: with the address of the documentation filled in, and counted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/domain/failure.hpp"
#include "app/host/metrics.hpp"
#include "app/web/error.hpp"

namespace goldsmith::handlers {

class Errors {
 public:
  // `fill_request`: see archive::request_fill.
  Errors(std::string docs_url, std::filesystem::path fill_request, host::Metrics& metrics)
      : docs_url_(std::move(docs_url)), fill_request_(std::move(fill_request)), metrics_(metrics) {}

  web::Response make(domain::Error code, json::Object context = {}) const;

  // What a failure means for the client, the log and this host.
  web::Response make(const domain::Failure& failure, const std::string& request_id) const;
  // The part of that which no client sees: logs the cause, and asks goldsmith-depot-fill for what
  // the depot lacks.
  void note(const domain::Failure& failure, const std::string& request_id) const;

  // 429 with the seconds to wait.
  web::Response rate_limited(const domain::RateLimited& refusal) const;

 private:
  std::string docs_url_;
  std::filesystem::path fill_request_;
  host::Metrics& metrics_;
};

}  // namespace goldsmith::handlers
