#include "handlers/selections.hpp"

#include <optional>
#include <variant>

#include "app/archive/depot_upkeep.hpp"
#include "app/archive/zip.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"
#include "app/sys/overloaded.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {
namespace {

using http::Error;

http::Response failed(const Services& services, const Call& call, const std::exception& failure) {
  return services.errors.log_and_make(Error::build_failed, "build failed", call.request.id,
                                      failure.what());
}

// Another host has mirrored the version, and this one is about to fetch it.
http::Response lacking(const Services& services, const Call& call,
                       const archive::MissingDepotFile& failure) {
  ask_for(services, call, failure);
  http::Response response = services.errors.make(Error::builder_unavailable);
  response.set_header("Retry-After", "30");
  return response;
}

http::Response too_large(const Services& services, const creator::Excess& excess) {
  return services.errors.make(Error::bad_request,
                              {{"parameter", excess.parameter},
                               {"limit", static_cast<std::int64_t>(excess.limit)},
                               {"reason", creator::sentence(excess)}});
}

// A plugin was replaced while the request was under way: the next one finds what is there now.
http::Response changed(const Services& services, const Call& call,
                       const service::PluginGone& failure) {
  http::Response response =
      services.errors.log_and_make(Error::builder_unavailable, "a plugin changed during a build",
                                   call.request.id, failure.what());
  response.set_header("Retry-After", "1");
  return response;
}

http::Response error_of(const Services& services, const Call& call, const http::Response& head,
                        const service::CompileObstacle& obstacle) {
  const Errors& errors = services.errors;
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

}  // namespace

creator::SelectionRequest read_selection(const http::Query& query) {
  return creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                          query.flag("optimized"));
}

service::Resolved resolve(Services& services, const Call& call,
                          const creator::SelectionRequest& selection) {
  std::optional<domain::Permit> may_compile;
  if (!call.request.is_head()) may_compile = services.gate.compiler_start_permit(call.caller);
  return services.builds.resolve(selection, may_compile, services.freshness.epoch());
}

void ask_for(const Services& services, const Call& call, const archive::MissingDepotFile& failure) {
  sys::log(sys::LogLevel::error, "a build needs a version that this host lacks",
           {{"id", call.request.id}, {"cause", failure.what()}});
  archive::request_fill(services.fill_request);
}

http::Response with_plan(Services& services, const Call& call, const http::Response& head,
                         const Use& use) {
  const Errors& errors = services.errors;
  const creator::SelectionRequest selection = read_selection(call.query);
  if (const auto excess = creator::excess_of(selection)) return too_large(services, *excess);
  try {
    const service::Resolved resolved = resolve(services, call, selection);
    return std::visit(
        sys::overloaded{
            [&](const std::shared_ptr<const service::ResolvedPlan>& found) -> http::Response {
              return use(found->plan);
            },
            [&](const creator::InvalidSelection& invalid) {
              return errors.make(Error::invalid_selection, views::invalid_selection(invalid));
            },
            [&](const creator::EmptySelection&) { return errors.make(Error::empty_selection); },
            [&](const creator::Excess& excess) { return too_large(services, excess); },
            [&](const service::CompileObstacle& obstacle) {
              return error_of(services, call, head, obstacle);
            }},
        resolved);
  } catch (const service::PluginGone& failure) {
    return changed(services, call, failure);
  } catch (const archive::MissingDepotFile& failure) {
    return lacking(services, call, failure);
  } catch (const archive::ZipError& failure) {
    return failed(services, call, failure);
  } catch (const sys::FileError& failure) {
    return failed(services, call, failure);
  }
}

}  // namespace goldsmith::handlers
