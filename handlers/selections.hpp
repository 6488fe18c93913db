// The plan of the selection that a request names: for every endpoint and document that takes the
// parameters of resolve. Equal parameters give the same plan or the same error everywhere, so that
// resolve's 200 means that a download has bytes.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <utility>

#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/service/server_builds.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"

namespace goldsmith::handlers {

// The parameters of resolve, which are also those of downloads and documents.
inline constexpr auto kSelectionParameters =
    std::to_array<http::Parameter>({{"components", http::Parameter::Kind::list},
                                    {"plugins", http::Parameter::Kind::list},
                                    {"optimized", http::Parameter::Kind::flag}});
creator::SelectionRequest read_selection(const http::Query& query);

class Selections {
 public:
  struct Dependencies {
    service::ServerBuilds& builds;
    access::Gate& gate;
    access::Freshness& freshness;
    const Errors& errors;
    std::filesystem::path fill_request;  // see archive::request_fill
  };
  explicit Selections(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  using Use = std::function<http::Response(const creator::Plan& plan)>;

  // Returns `use(plan)`, or the error that prevents it. If `use` throws an error of an archive or a
  // file, the response is 500 build_failed; if this host lacks a version, 503 builder_unavailable
  // (decision O11). `head` is the answer to a HEAD that would have to compile, without the headers
  // that only a compile can tell (decision R2).
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
