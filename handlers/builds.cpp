#include "handlers/builds.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/creator/resources.hpp"
#include "app/host/process.hpp"
#include "app/web/request.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {

namespace {

using domain::Error;

constexpr int kNiceness = 10;  // of what is done ahead of need

web::Response without_body(std::string_view content_type) {
  web::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

// As nginx computes them from a file's modification time and size.
web::Validators validators(const creator::Plan& plan, std::uint64_t size) {
  const std::int64_t modified = archive::modification_time(plan.build_hash);
  return {fmt::format("\"{:x}-{:x}\"", modified, size), modified};
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

// The build that the files of an archive are of.
const std::string& build_of(const creator::Plan& plan) {
  return plan.completes.empty() ? plan.build_hash : plan.completes;
}

web::Response archive_headers(Services& services, const creator::Plan& plan) {
  web::Response response = without_body("application/zip");
  const std::string_view kind = plan.completes.empty() ? "server" : "update";
  response.set_header(
      "Content-Disposition",
      web::attachment(fmt::format("cs16-{}-{}.zip", kind, plan.build_hash.substr(0, 12))));
  response.set_header("X-Svc-Build-Hash", build_of(plan));
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

// Puts the plan's archive into the cache, unless it is there; counts and logs that.
archive::Acquired acquire(Services& services, const Call& call, const creator::Plan& plan,
                          const domain::Permit& may_build) {
  const archive::Acquired acquired = services.builds.acquire(plan, may_build);
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
  response.set_header("X-Svc-Build-Hash", build_of(plan));
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
  const archive::Acquired acquired =
      acquire(services, call, plan, services.gate.build_permit(call.caller));
  if (is_redirected) services.digests.publish(plan, acquired.is_built);
  services.digests.note_build(plan);
  return is_redirected ? redirect(services, plan)
                       : archive_response(services, call, plan, acquired.bytes);
}

web::Response gone(const Services& services, std::string_view reason) {
  return services.errors.make(Error::not_found, {{"reason", std::string(reason)}});
}

constexpr std::string_view kChanged =
    "What this archive was made of has changed. Resolve the selection again: its download has the "
    "current archive.";
constexpr std::string_view kUnknown =
    "No archive with this build hash is known. Resolve a selection: its download has the archive.";

using Plans = web::Response (*)(Services&, const Call&, const web::Response& head, const Use&);

// What was handed out under a hash, as `plans` makes it from the selection that was recorded then;
// 404 if that is not known, or gives something else now.
web::Response with_known(
    Services& services, const Call& call, const std::string& hash, Plans plans,
    const web::Response& head,
    const std::function<web::Response(const Call& planned, const creator::Plan& plan,
                                      const creator::ArchiveDigests::Known& known)>& use) {
  const auto known = services.digests.find_known(hash);
  if (!known) return gone(services, kUnknown);
  const web::Query selection(known->selection, kSelectionAndFrom);
  const Call planned{call.request, call.path, call.caller, selection};
  bool is_used = false;
  web::Response response = plans(services, planned, head, [&](const creator::Plan& plan) {
    is_used = plan.build_hash == hash;
    return is_used ? use(planned, plan, *known) : gone(services, kChanged);
  });
  const bool is_impossible = response.status == 400 || response.status == 422;
  return is_impossible && !is_used ? gone(services, kChanged) : response;
}

// The bad_request about what a parameter says.
web::Response bad_parameter(const Services& services, std::string_view name, std::string reason) {
  return services.errors.make(Error::bad_request,
                              {{"parameter", name}, {"reason", std::move(reason)}});
}

// with_known() of a build that the parameter `name` names. A partial archive is none: its selection
// gives a build with another hash.
web::Response with_known_build(Services& services, const Call& call, std::string_view name,
                               const std::string& hash, const web::Response& head, const Use& use,
                               std::string_view remedy) {
  bool is_used = false;
  web::Response response = with_known(services, call, hash, with_plan, head,
                                      [&](const Call&, const creator::Plan& plan, const auto&) {
                                        is_used = true;
                                        return use(plan);
                                      });
  if (is_used || response.status != 404) return response;
  return gone(services, fmt::format("The build that \"{}\" names is not known, or what it was made "
                                    "of has changed. {}",
                                    name, remedy));
}

std::optional<std::string> build_hash_in(std::string_view text) {
  return archive::build_hash_of(std::string(text) + ".zip");
}

constexpr std::string_view kHashForm = "A build hash has 64 digits of 0123456789abcdef.";

// with_plan() of a request with `build`.
web::Response with_asked_build(Services& services, const Call& call, std::string_view build,
                               const web::Response& head, const Use& use) {
  for (const web::Parameter& each : kSelectionParameters) {
    if (each.name == "build" || !call.query.get(each.name)) continue;
    return bad_parameter(services, "build",
                         fmt::format("It names all of a selection: leave out \"{}\".", each.name));
  }
  const auto hash = build_hash_in(build);
  if (!hash) return bad_parameter(services, "build", std::string(kHashForm));
  return with_known_build(services, call, "build", *hash, head, use,
                          "Name the components and plugins in its place.");
}

// The plan of the archive that a download asks for: of a build, or of what of it the caller lacks.
web::Response with_archive(Services& services, const Call& call, const web::Response& head,
                           const Use& use) {
  return with_plan(services, call, head, [&](const creator::Plan& plan) {
    const auto from = call.query.get("from");
    if (!from) return use(plan);
    const auto hash = build_hash_in(*from);
    if (!hash) return bad_parameter(services, "from", std::string(kHashForm));
    return with_known_build(
        services, call, "from", *hash, head,
        [&](const creator::Plan& base) { return use(creator::partial_plan(base, plan)); },
        "Download without \"from\".");
  });
}

// The query string of the selection that a text is, or that a link in it has; std::nullopt if it is
// neither.
std::optional<std::string_view> selection_in(std::string_view text) {
  const bool is_link = text.starts_with("https://") || text.starts_with("http://");
  const std::size_t begin = is_link ? text.find('?') : std::string_view::npos;
  std::string_view query = text;
  if (is_link) query = begin == std::string_view::npos ? "" : text.substr(begin + 1);
  query = query.substr(0, query.find('#'));
  const std::vector<std::string> others = web::undeclared_names(query, kSelectionParameters);
  // The form of the server creator sends its pins beside the components.
  const bool is_pinned = std::find(others.begin(), others.end(), "pin") != others.end();
  if (is_pinned || (!is_link && !others.empty())) return std::nullopt;
  return query;
}

// The archive by its hash, built again from the selection that was recorded with it, which may give
// another archive now.
web::Response rebuild(Services& services, const Call& call, const std::string& hash) {
  return with_known(services, call, hash, with_archive, without_body("application/zip"),
                    [&](const Call& planned, const creator::Plan& plan, const auto& known) {
                      if (call.request.is_head()) return archive_headers(services, plan);
                      const domain::Permit may_build =
                          known.is_paid_for ? services.gate.paid_build_permit(call.caller)
                                            : services.gate.build_permit(call.caller);
                      acquire(services, planned, plan, may_build);
                      web::Response found =
                          without_body("application/zip");  // nginx finds it there now
                      found.set_header("X-Accel-Redirect", "/archives/" + hash + ".zip");
                      return found;
                    });
}

// As nginx decodes it.
std::string resource_path(std::string_view build_hash, std::string_view path) {
  std::string encoded = "/fastdl/" + std::string(build_hash);
  for (const std::string_view segment : base::split(path, '/')) {
    encoded.append("/").append(base::percent_encode(segment));
  }
  return encoded;
}

// A file of a build for a game client, which nginx then finds at the same address.
web::Response provide_resource(Services& services, const Call& call, const std::string& build_hash,
                               const std::string& path) {
  // A HEAD compiles nothing, so that it may not know either.
  const web::Response unknown = services.errors.make(Error::builder_unavailable);
  web::Response response =
      with_known(services, call, build_hash, with_plan, unknown,
                 [&](const Call&, const creator::Plan& plan, const auto& known) {
                   const creator::PlannedFile* file = creator::find_resource(plan, path);
                   if (file == nullptr) return services.errors.make(Error::not_found);
                   const bool is_first = !services.builds.resources().links().has(build_hash);
                   services.builds.provide_resource(plan, *file, path);
                   if (is_first) services.wanted_resources = known.selection;
                   web::Response found = without_body("application/octet-stream");
                   found.set_header("X-Accel-Redirect", resource_path(build_hash, path));
                   return found;
                 });
  // Without the reason, which is about archives.
  return response.status == 404 ? services.errors.make(Error::not_found) : response;
}

}  // namespace

web::Response resolve_server(Services& services, const Call& call) {
  return with_plan(
      services, call, without_body(web::kJsonContentType), [&](const creator::Plan& plan) {
        const auto archive = services.digests.find_archive(plan.build_hash);
        web::Response response = web::json_ok(views::plan(plan, archive, services.urls));
        response.is_provisional = !archive.start;  // which comes after the digest
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
  return with_archive(services, call, unbuilt_headers(),
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

web::Response show_resource(Services& services, const Call& call) {
  const std::string& build_hash = call.path.front();
  const std::string& path = call.path.back();
  const bool may_be = !services.config.fastdl.url.empty() && base::is_sha256_hex(build_hash) &&
                      creator::is_resource(path);
  web::Response response;
  if (!may_be) {
    response = services.errors.make(Error::not_found);
  } else if (!services.gate.api_is_enabled()) {
    response = services.errors.make(Error::api_disabled);
  } else if (!services.builds.available()) {
    response = services.errors.make(Error::builder_unavailable);
  } else {
    response = provide_resource(services, call, build_hash, path);
  }
  if (!response.header("X-Accel-Redirect")) response.set_header("Cache-Control", "no-store");
  return response;
}

std::string build_url(Services& services, const creator::Plan& plan) {
  return services.digests.is_known(plan.build_hash) ? "/server?build=" + plan.build_hash : "";
}

std::string fastdl_address(const Services& services, const creator::Plan& plan) {
  const std::string& url = services.config.fastdl.url;
  if (url.empty() || creator::resource_paths(plan).empty()) return "";
  return url + "/fastdl/" + plan.build_hash + "/";
}

namespace {

void provide_all(Services& services, const creator::Plan& plan) {
  constexpr std::chrono::seconds kLongest{30};
  const auto end = services.clock.steady() + kLongest;
  std::uint64_t bytes = 0;
  for (const std::string& path : creator::resource_paths(plan)) {
    const creator::PlannedFile& file = *creator::find_resource(plan, path);
    bytes += file.size;
    const bool is_enough = bytes > services.config.cache.resource_bytes / 2 ||
                           !services.builds.resources().links().fits(plan.build_hash, path) ||
                           services.clock.steady() > end;
    if (is_enough) return;
    services.builds.provide_resource(plan, file, path);
  }
}

}  // namespace

void provide_wanted_resources(Services& services) {
  const std::string wanted = std::exchange(services.wanted_resources, {});
  if (wanted.empty()) return;
  try {
    const domain::Turn turn = domain::require(services.compile_service.limits.provide_resources());
    const host::NiceSession nice(kNiceness);
    const web::Query selection(wanted, kSelectionParameters);
    const creator::Resolved resolved = services.builds.resolve(
        read_selection(selection), std::nullopt, services.freshness.epoch());
    const auto* plan = std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved);
    if (plan != nullptr) provide_all(services, (*plan)->plan);
  } catch (const domain::Failure&) {
    // No turn, no room, or a plugin has to be compiled.
  } catch (const std::runtime_error& error) {
    base::log(base::LogLevel::warning, "files for game clients can't be provided",
              {{"cause", error.what()}});
  }
}

creator::SelectionRequest read_selection(const web::Query& query) {
  return creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                          query.flag("optimized"), query.get("order"));
}

creator::SelectionRequest selection_of(const web::Query& query, const creator::Plan& plan) {
  if (!query.get("build")) return read_selection(query);
  return read_selection(web::Query(plan.build_query, kSelectionParameters));
}

creator::Resolved resolve(Services& services, const Call& call,
                          const creator::SelectionRequest& selection) {
  creator::check_size(selection);
  creator::check_order(selection);
  std::optional<domain::Permit> may_compile;
  if (!call.request.is_head()) may_compile = services.gate.compiler_start_permit(call.caller);
  return services.builds.resolve(selection, may_compile, services.freshness.epoch());
}

domain::Failure failure_of_build() {
  try {
    throw;
  } catch (const domain::Failure& failure) {
    return failure;
  } catch (const compile::PluginGone& gone) {
    // It was replaced while the request was under way: the next one finds what is there now.
    domain::Failure failure(Error::builder_unavailable, "a plugin changed during a build",
                            gone.what());
    failure.wait = std::chrono::seconds(1);
    return failure;
  } catch (const archive::MissingDepotFile& missing) {
    // Another host has mirrored the version, and this one is about to fetch it.
    domain::Failure failure(Error::builder_unavailable,
                            "a build needs a version that this host lacks", missing.what());
    failure.wait = std::chrono::seconds(30);
    failure.lacks_file = true;
    return failure;
  } catch (const archive::ZipError& error) {
    return {Error::build_failed, "build failed", error.what()};
  } catch (const base::FileError& error) {
    return {Error::build_failed, "build failed", error.what()};
  }
}

web::Response with_plan(Services& services, const Call& call, const web::Response& head,
                        const Use& use) {
  const Errors& errors = services.errors;
  if (const auto build = call.query.get("build")) {
    return with_asked_build(services, call, *build, head, use);
  }
  try {
    const creator::Resolved resolved = resolve(services, call, read_selection(call.query));
    if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
      return errors.make(Error::invalid_selection, views::invalid_selection(*invalid));
    }
    if (std::holds_alternative<creator::EmptySelection>(resolved)) {
      return errors.make(Error::empty_selection);
    }
    return use(std::get<std::shared_ptr<const creator::ResolvedPlan>>(resolved)->plan);
  } catch (const compile::NeedsCompile&) {
    return head;
  } catch (...) {
    return errors.make(failure_of_build(), call.request.id);
  }
}

std::string problem_of(const web::Response& error) {
  const json::Value envelope = json::parse(error.body);
  for (const auto& [name, value] : *envelope.as_object()) {
    if (name == "reason" && value.as_string() != nullptr) return *value.as_string();
    const json::Array* items = value.as_array();
    if (items == nullptr || items->empty()) continue;
    if (const std::string* slug = items->front().as_string()) {
      return "There is no component \"" + *slug + "\".";
    }
    const json::Object& item = *items->front().as_object();
    const auto reason = item.find("reason");
    if (reason != item.end() && reason->second.as_string() != nullptr) {
      return *reason->second.as_string();
    }
    const auto components = item.find("components");
    if (components != item.end() && components->second.as_string() != nullptr) {
      return "One of these can be chosen: " + *components->second.as_string() + ".";
    }
  }
  return "It is empty.";
}

web::Response with_named_plan(Services& services, const Call& call, std::string_view name,
                              const web::Response& head, const Use& use) {
  const std::string_view text = base::trim_ascii(call.query.get(name).value_or(""));
  if (const auto hash = build_hash_in(text)) {
    return with_known_build(services, call, name, *hash, head, use,
                            "Name the selection that it was made of in its place.");
  }
  const auto selection = selection_in(text);
  if (text.empty() || !selection) {
    return bad_parameter(services, name,
                         "It has a build hash, 64 digits of 0123456789abcdef, or the query string "
                         "of a selection, encoded, with components, plugins, order and optimized "
                         "alone.");
  }
  const web::Query query(*selection, kSelectionParameters);
  const Call named{call.request, call.path, call.caller, query};
  web::Response response = with_plan(services, named, head, use);
  if (response.status != 422 && response.status != 400) return response;
  return bad_parameter(services, name, "This selection can't be built. " + problem_of(response));
}

web::Response show_catalog(Services& services, const Call&) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  json::Array components;
  for (const domain::Component& component : catalog->components()) {
    if (component.latest() == nullptr) continue;  // nothing to choose: not in the catalog
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
    return services.errors.make(domain::Error::not_found);
  }
  domain::Component component = *found;
  for (domain::ComponentVersion& version : component.versions) {
    version.files = services.components.load_files(*slug, version.version);
    version.sources = services.components.load_sources(*slug, version.version);
  }
  return web::json_ok({{"component", views::component_detail(component)}});
}

}  // namespace goldsmith::handlers
