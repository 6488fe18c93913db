#include "handlers/known_builds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "app/archive/archive_cache.hpp"
#include "app/base/text.hpp"
#include "app/web/request.hpp"

namespace goldsmith::handlers {
namespace {

using domain::Error;

constexpr std::string_view kChanged =
    "What this archive was made of has changed. Resolve the selection again: its download has the "
    "current archive.";
constexpr std::string_view kUnknown =
    "No archive with this build hash is known. Resolve a selection: its download has the archive.";

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

}  // namespace

web::Response gone(const Services& services, std::string_view reason) {
  return services.errors.make(Error::not_found, {{"reason", std::string(reason)}});
}

web::Response bad_parameter(const Services& services, std::string_view name, std::string reason) {
  return services.errors.make(Error::bad_request,
                              {{"parameter", name}, {"reason", std::move(reason)}});
}

std::optional<std::string> build_hash_in(std::string_view text) {
  return archive::build_hash_of(std::string(text) + ".zip");
}

web::Response with_known(Services& services, const Call& call, const std::string& hash, Plans plans,
                         const web::Response& head, const UseKnown& use) {
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

std::string build_url(Services& services, const creator::Plan& plan) {
  return services.digests.is_known(plan.build_hash) ? "/server?build=" + plan.build_hash : "";
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

}  // namespace goldsmith::handlers
