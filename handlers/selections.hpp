// The plan of the selection that a request names: for every endpoint and document that takes the
// parameters of resolve. Equal parameters give the same plan or the same error everywhere, so that
// resolve's 200 means that a download has bytes.
#pragma once

#include <filesystem>
#include <functional>
#include <utility>

#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/service/server_builds.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"

namespace goldsmith::handlers {

// The parameters of resolve.
creator::SelectionRequest read_selection(const http::Query& query);

class Selections {
 public:
  struct Dependencies {
    service::ServerBuilds& builds;
    access::Gate& gate;
    access::Freshness& freshness;
    const Errors& errors;
    std::filesystem::path fill_request;  // see service::request_fill
  };
  explicit Selections(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  using Use = std::function<http::Response(const creator::Plan& plan)>;

  // Answers with `use(plan)`, or with the error that stands in its way; what `use` throws of an
  // archive or a file is 500 build_failed; a
  // version that this host lacks is 503 builder_unavailable (decision O11). `head`: the answer to a
  // HEAD that would have to compile, without all that only a compile would tell (decision R2).
  http::Response with_plan(const Call& call, const http::Response& head, const Use& use);

 private:
  http::Response too_large(const creator::Excess& excess) const;
  http::Response error_of(const Call& call, const http::Response& head,
                          const service::CompileObstacle& obstacle) const;
  http::Response failed(const Call& call, const std::exception& failure) const;
  http::Response lacking(const Call& call, const archive::MissingDepotFile& failure) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers
