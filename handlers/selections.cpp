#include "handlers/selections.hpp"

#include <optional>
#include <variant>

#include "app/archive/depot_upkeep.hpp"
#include "app/archive/zip.hpp"
#include "app/sys/file.hpp"
#include "app/sys/overloaded.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

using http::Error;

}  // namespace

creator::SelectionRequest read_selection(const http::Query& query) {
  return creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                          query.flag("optimized"));
}

http::Response Selections::with_plan(const Call& call, const http::Response& head, const Use& use) {
  const Errors& errors = dependencies_.errors;
  const creator::SelectionRequest selection = read_selection(call.query);
  if (const auto excess = creator::excess_of(selection)) return too_large(*excess);
  std::optional<domain::Permit> may_compile;
  // HEAD never compiles (decision R2).
  if (!call.request.is_head()) may_compile = dependencies_.gate.compiler_start_permit();
  try {
    const service::Resolved resolved =
        dependencies_.builds.resolve(selection, may_compile, dependencies_.freshness.epoch());
    return std::visit(
        sys::overloaded{
            [&](const std::shared_ptr<const service::ResolvedPlan>& found) -> http::Response {
              return use(found->plan);
            },
            [&](const creator::InvalidSelection& invalid) {
              return errors.make(Error::invalid_selection, views::invalid_selection(invalid));
            },
            [&](const creator::EmptySelection&) { return errors.make(Error::empty_selection); },
            [&](const service::CompileObstacle& obstacle) {
              return error_of(call, head, obstacle);
            }},
        resolved);
  } catch (const archive::MissingDepotFile& failure) {
    return lacking(call, failure);
  } catch (const archive::ZipError& failure) {
    return failed(call, failure);
  } catch (const sys::FileError& failure) {
    return failed(call, failure);
  }
}

http::Response Selections::failed(const Call& call, const std::exception& failure) const {
  return dependencies_.errors.log_and_make(Error::build_failed, "build failed", call.request.id,
                                           failure.what());
}

// Another host has mirrored the version, and this one is about to fetch it.
http::Response Selections::lacking(const Call& call,
                                   const archive::MissingDepotFile& failure) const {
  archive::request_fill(dependencies_.fill_request);
  http::Response response = dependencies_.errors.log_and_make(
      Error::builder_unavailable, "a build needs a version that this host lacks", call.request.id,
      failure.what());
  response.set_header("Retry-After", "30");
  return response;
}

http::Response Selections::too_large(const creator::Excess& excess) const {
  const std::string reason = "A selection may name at most " + std::to_string(excess.limit) + " " +
                             std::string(excess.parameter) + "; this one names " +
                             std::to_string(excess.count) + ".";
  return dependencies_.errors.make(Error::bad_request,
                                   {{"parameter", excess.parameter},
                                    {"limit", static_cast<std::int64_t>(excess.limit)},
                                    {"reason", reason}});
}

http::Response Selections::error_of(const Call& call, const http::Response& head,
                                    const service::CompileObstacle& obstacle) const {
  const Errors& errors = dependencies_.errors;
  return std::visit(
      sys::overloaded{
          [&](const service::NeedsCompile&) { return head; },
          [&](const domain::RateLimited& refusal) { return errors.rate_limited(refusal); },
          [&](const service::CompilerUnavailable& failure) {
            return errors.log_and_make(Error::compiler_unavailable, "a build needs a compiler",
                                       call.request.id, failure.cause);
          }},
      obstacle);
}

}  // namespace goldsmith::handlers
