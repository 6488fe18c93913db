#include "handlers/builds.hpp"

#include <cstdio>
#include <optional>
#include <variant>

#include "app/archive/depot_upkeep.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/overloaded.hpp"
#include "app/web/request.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {

namespace {

using web::Error;

web::Response without_body(std::string_view content_type) {
  web::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

// As nginx computes them from a file's modification time and size.
web::Validators validators(const creator::Plan& plan, std::uint64_t size) {
  const std::int64_t modified = archive::modification_time(plan.build_hash);
  char tag[48];
  std::snprintf(tag, sizeof tag, "\"%llx-%llx\"", static_cast<unsigned long long>(modified),
                static_cast<unsigned long long>(size));
  return {tag, modified};
}

// Returns true if the archive lacks the requested range (app/web/request.hpp says why nginx does
// not refuse it).
bool is_out_of_range(const web::Request& request, const creator::Plan& plan, std::uint64_t size) {
  return web::looks_at_range(request, validators(plan, size)) &&
         web::is_unsatisfiable_range(request.headers.at("range"), size);
}

// HEAD compiles and builds nothing: its answer has what nginx would add, except for the length.
web::Response with_nginx_headers(web::Response response) {
  response.set_header("Cache-Control", "public, max-age=3600");
  response.set_header("Accept-Ranges", "bytes");
  return response;
}

// The answer to a HEAD whose plugins are not compiled yet: the hash and the file name are unknown.
web::Response unbuilt_headers() { return with_nginx_headers(without_body("application/zip")); }

web::Response archive_headers(Services& services, const creator::Plan& plan) {
  web::Response response = without_body("application/zip");
  const std::string name = "cs16-server-" + plan.build_hash.substr(0, 12) + ".zip";
  response.set_header("Content-Disposition", web::attachment(name));
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  const std::string digest = services.digests.find(plan.build_hash);
  if (!digest.empty()) response.set_header("Repr-Digest", web::repr_digest(digest));
  return response;
}

// nginx sends the file itself, and handles ranges, conditions and lengths. It also says how long
// others may keep the file: a header set here would stay on an error, should the file be gone by
// then.
web::Response archive_response(Services& services, const Call& call, const creator::Plan& plan,
                               std::uint64_t size) {
  if (is_out_of_range(call.request, plan, size)) {
    web::Response response = services.errors.make(Error::range_not_satisfiable);
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return response;
  }
  services.metrics.archive_bytes.add(size);
  web::Response response = archive_headers(services, plan);
  response.set_header("X-Accel-Redirect", "/_archives/" + plan.build_hash + ".zip");
  return response;
}

// Archives that are in use now may be removed a moment later (decision S18).
web::Response no_room(const Services& services, const Call& call, const std::string& cause) {
  web::Response response = services.errors.log_and_make(
      Error::builder_unavailable, "no room for an archive", call.request.id, cause);
  response.set_header("Retry-After", "10");
  return response;
}

// Puts the plan's archive into the cache, unless it is there; counts and logs that. The response
// says why it can't be there.
std::variant<archive::Acquired, web::Response> acquire(Services& services, const Call& call,
                                                       const creator::Plan& plan,
                                                       const domain::Permit& may_build) {
  const archive::Acquisition outcome = services.builds.acquire(plan, may_build);
  if (const auto* refusal = std::get_if<domain::RateLimited>(&outcome)) {
    return services.errors.rate_limited(*refusal);
  }
  if (const auto* obstacle = std::get_if<archive::NoRoom>(&outcome)) {
    return no_room(services, call, obstacle->cause);
  }
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (acquired.is_built) {
    base::log(base::LogLevel::info, "archive built",
              {{"id", call.request.id}, {"build_hash", plan.build_hash}});
  }
  services.metrics.archives.add(acquired.is_built ? "build" : "cache");
  services.digests.schedule(plan);
  return acquired;
}

// Each download is counted here: caches must not keep the answer.
web::Response redirect(const Services& services, const creator::Plan& plan) {
  web::Response response;
  response.status = 302;
  response.set_header("Location",
                      services.config.archives.redirect + "/" + plan.build_hash + ".zip");
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Svc-Build-Hash", plan.build_hash);
  return response;
}

// The answer to a download of a plan: the archive, or where it is if downloads are redirected.
web::Response deliver(Services& services, const Call& call, const creator::Plan& plan) {
  const bool is_redirected = !services.config.archives.redirect.empty();
  if (call.request.is_head()) {
    if (is_redirected) return redirect(services, plan);
    const auto found = services.builds.acquire(plan);
    return found ? archive_response(services, call, plan, found->bytes)
                 : with_nginx_headers(archive_headers(services, plan));
  }
  auto outcome = acquire(services, call, plan, services.gate.build_permit(call.caller));
  if (auto* error = std::get_if<web::Response>(&outcome)) return std::move(*error);
  const auto& acquired = std::get<archive::Acquired>(outcome);
  if (!is_redirected) return archive_response(services, call, plan, acquired.bytes);
  services.digests.publish(plan, acquired.is_built);
  return redirect(services, plan);
}

web::Response gone(const Services& services, std::string_view reason) {
  return services.errors.make(Error::not_found, {{"reason", std::string(reason)}});
}

// The archive by its hash, built again from the selection that was recorded with it, which may give
// another archive now.
web::Response rebuild(Services& services, const Call& call, const std::string& build_hash) {
  constexpr std::string_view kChanged =
      "What this archive was made of has changed. Resolve the selection again: its download has "
      "the current archive.";
  const auto known = services.digests.find_known(build_hash);
  if (!known) {
    return gone(services,
                "No archive with this build hash is known. Resolve a selection: its download has "
                "the archive.");
  }
  const web::Query selection(known->selection, kSelectionParameters);
  const Call planned{call.request, call.path, call.caller, selection};
  web::Response response =
      with_plan(services, planned, without_body("application/zip"), [&](const creator::Plan& plan) {
        if (plan.build_hash != build_hash) return gone(services, kChanged);
        if (call.request.is_head()) return archive_headers(services, plan);
        const domain::Permit may_build = known->is_paid_for
                                             ? services.gate.paid_build_permit(call.caller)
                                             : services.gate.build_permit(call.caller);
        auto outcome = acquire(services, planned, plan, may_build);
        if (auto* error = std::get_if<web::Response>(&outcome)) return std::move(*error);
        web::Response found = without_body("application/zip");  // nginx finds it there now
        found.set_header("X-Accel-Redirect", "/archives/" + build_hash + ".zip");
        return found;
      });
  return response.status == 422 ? gone(services, kChanged) : response;
}

}  // namespace

web::Response resolve_server(Services& services, const Call& call) {
  return with_plan(
      services, call, without_body(web::kJsonContentType), [&](const creator::Plan& plan) {
        const std::string digest = services.digests.find(plan.build_hash);
        web::Response response = web::json_ok(views::plan(plan, digest, services.urls));
        response.is_provisional = digest.empty();
        return response;
      });
}

web::Response preview_file(Services& services, const Call& call) {
  const Errors& errors = services.errors;
  const auto path = call.query.get("path");
  if (!path) return errors.make(Error::missing_path);
  return with_plan(services, call, without_body(web::kJsonContentType),
                   [&](const creator::Plan& plan) {
                     const creator::PlannedFile* file = creator::find_file(plan, *path);
                     if (!file) return errors.make(Error::not_found);
                     creator::Preview preview = services.builds.preview(plan, *file);
                     return web::json_ok({{"file", views::preview(*file, std::move(preview))}});
                   });
}

web::Response download_server(Services& services, const Call& call) {
  if (!services.builds.available()) {
    return services.errors.make(Error::builder_unavailable);
  }
  return with_plan(services, call, unbuilt_headers(),
                   [&](const creator::Plan& plan) { return deliver(services, call, plan); });
}

// Caches must not keep the answer: the archive may be there in a moment.
web::Response show_archive(Services& services, const Call& call) {
  const auto build_hash = archive::build_hash_of(call.path.front());
  web::Response response;
  if (!build_hash) {
    response = gone(services,
                    "The address of an archive is /archives/ and its build hash, 64 digits of "
                    "0123456789abcdef, and .zip.");
  } else if (!services.gate.api_is_enabled()) {
    response = services.errors.make(Error::api_disabled);
  } else if (!services.builds.available()) {
    response = services.errors.make(Error::builder_unavailable);
  } else {
    response = rebuild(services, call, *build_hash);
  }
  if (!response.header("X-Accel-Redirect")) {
    response.set_header("Cache-Control", "no-store");
  }
  return response;
}

namespace {

using web::Error;

web::Response failed(const Services& services, const Call& call, const std::exception& failure) {
  return services.errors.log_and_make(Error::build_failed, "build failed", call.request.id,
                                      failure.what());
}

// Another host has mirrored the version, and this one is about to fetch it.
web::Response lacking(const Services& services, const Call& call,
                      const archive::MissingDepotFile& failure) {
  ask_for(services, call, failure);
  web::Response response = services.errors.make(Error::builder_unavailable);
  response.set_header("Retry-After", "30");
  return response;
}

web::Response too_large(const Services& services, const creator::Excess& excess) {
  return services.errors.make(Error::bad_request,
                              {{"parameter", excess.parameter},
                               {"limit", static_cast<std::int64_t>(excess.limit)},
                               {"reason", creator::sentence(excess)}});
}

// A plugin was replaced while the request was under way: the next one finds what is there now.
web::Response changed(const Services& services, const Call& call,
                      const compile::PluginGone& failure) {
  web::Response response =
      services.errors.log_and_make(Error::builder_unavailable, "a plugin changed during a build",
                                   call.request.id, failure.what());
  response.set_header("Retry-After", "1");
  return response;
}

web::Response error_of(const Services& services, const Call& call, const web::Response& head,
                       const compile::CompileObstacle& obstacle) {
  const Errors& errors = services.errors;
  return std::visit(
      base::overloaded{
          [&](const compile::NeedsCompile&) { return head; },
          [&](const domain::RateLimited& refusal) { return errors.rate_limited(refusal); },
          [&](const compile::CompilerUnavailable& failure) {
            return errors.log_and_make(Error::compiler_unavailable, "a build needs a compiler",
                                       call.request.id, failure.cause);
          }},
      obstacle);
}

}  // namespace

creator::SelectionRequest read_selection(const web::Query& query) {
  return creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                          query.flag("optimized"));
}

creator::Resolved resolve(Services& services, const Call& call,
                          const creator::SelectionRequest& selection) {
  std::optional<domain::Permit> may_compile;
  if (!call.request.is_head()) may_compile = services.gate.compiler_start_permit(call.caller);
  return services.builds.resolve(selection, may_compile, services.freshness.epoch());
}

void ask_for(const Services& services, const Call& call, const archive::MissingDepotFile& failure) {
  base::log(base::LogLevel::error, "a build needs a version that this host lacks",
            {{"id", call.request.id}, {"cause", failure.what()}});
  archive::request_fill(services.fill_request);
}

web::Response with_plan(Services& services, const Call& call, const web::Response& head,
                        const Use& use) {
  const Errors& errors = services.errors;
  const creator::SelectionRequest selection = read_selection(call.query);
  if (const auto excess = creator::excess_of(selection)) return too_large(services, *excess);
  try {
    const creator::Resolved resolved = resolve(services, call, selection);
    return std::visit(
        base::overloaded{
            [&](const std::shared_ptr<const creator::ResolvedPlan>& found) -> web::Response {
              return use(found->plan);
            },
            [&](const creator::InvalidSelection& invalid) {
              return errors.make(Error::invalid_selection, views::invalid_selection(invalid));
            },
            [&](const creator::EmptySelection&) { return errors.make(Error::empty_selection); },
            [&](const creator::Excess& excess) { return too_large(services, excess); },
            [&](const compile::CompileObstacle& obstacle) {
              return error_of(services, call, head, obstacle);
            }},
        resolved);
  } catch (const compile::PluginGone& failure) {
    return changed(services, call, failure);
  } catch (const archive::MissingDepotFile& failure) {
    return lacking(services, call, failure);
  } catch (const archive::ZipError& failure) {
    return failed(services, call, failure);
  } catch (const base::FileError& failure) {
    return failed(services, call, failure);
  }
}

web::Response show_catalog(Services& services, const Call&) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  json::Array components;
  for (const domain::Component& component : catalog->components()) {
    if (component.versions.empty()) continue;  // never mirrored: not in the catalog
    components.push_back(views::catalog_component(component, services.urls));
  }
  return web::json_ok({{"archive_root", "."},
                       {"components", std::move(components)},
                       {"docs", services.urls.docs()},
                       {"layers", json::array_of(domain::layers(), views::layer)},
                       {"page_url", services.urls.server_page()},
                       {"platform", "linux"}});
}

web::Response show_component(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const domain::Component* found = slug ? catalog->find(*slug) : nullptr;
  if (!found || found->versions.empty()) {
    return services.errors.make(web::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = services.components.load_files(*slug, version.version);
    version.sources = services.components.load_sources(*slug, version.version);
  }
  return web::json_ok({{"component", views::component_detail(component)}});
}

}  // namespace goldsmith::handlers
