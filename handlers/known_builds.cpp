#include "handlers/known_builds.hpp"

#include <algorithm>
#include <utility>
#include <variant>

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

domain::Failure bad_parameter(std::string_view name, std::string reason) {
  return domain::Failure(Error::bad_request, {{"parameter", name}, {"reason", std::move(reason)}});
}

// std::nullopt if the text is none.
std::optional<std::string> build_hash_in(std::string_view text) {
  return archive::build_hash_of(std::string(text) + ".zip");
}

}  // namespace

domain::Failure gone(std::string_view reason) {
  return domain::Failure(Error::not_found, {{"reason", std::string(reason)}});
}

Planned known_plan(Services& services, const Call& call, const std::string& hash,
                   const std::optional<creator::ArchiveDigests::Known>& known, MakePlan make) {
  if (!known) return gone(kUnknown);
  const web::Query selection(known->selection, kSelectionAndFrom);
  Planned planned = make(services, {call.request, call.path, call.caller, selection});
  const auto* plan = std::get_if<PlanPtr>(&planned);
  const bool is_changed = plan != nullptr ? (*plan)->build_hash != hash : is_impossible(planned);
  if (is_changed) return gone(kChanged);
  return planned;
}

Planned plan_of_build(Services& services, const Call& call, std::string_view name,
                      std::string_view text, std::string_view remedy) {
  const auto hash = build_hash_in(text);
  if (!hash) return bad_parameter(name, "A build hash has 64 digits of 0123456789abcdef.");
  Planned planned = known_plan(services, call, *hash, services.digests.find_known(*hash));
  const auto* failure = std::get_if<domain::Failure>(&planned);
  if (failure == nullptr || failure->code != Error::not_found) return planned;
  return gone(
      fmt::format("The build that \"{}\" names is not known, or what it was made of has "
                  "changed. {}",
                  name, remedy));
}

Planned asked_plan(Services& services, const Call& call, std::string_view build) {
  for (const web::Parameter& each : kSelectionParameters) {
    if (each.name == "build" || !call.query.get(each.name)) continue;
    return bad_parameter("build",
                         fmt::format("It names all of a selection: leave out \"{}\".", each.name));
  }
  return plan_of_build(services, call, "build", build,
                       "Name the components and plugins in its place.");
}

std::string build_url(Services& services, const creator::Plan& plan) {
  return services.digests.is_known(plan.build_hash) ? "/server?build=" + plan.build_hash : "";
}

Planned named_plan(Services& services, const Call& call, std::string_view name) {
  const std::string_view text = base::trim_ascii(call.query.get(name).value_or(""));
  if (build_hash_in(text)) {
    return plan_of_build(services, call, name, text,
                         "Name the selection that it was made of in its place.");
  }
  const auto selection = selection_in(text);
  if (text.empty() || !selection) {
    return bad_parameter(name,
                         "It has a build hash, 64 digits of 0123456789abcdef, or the query string "
                         "of a selection, encoded, with components, plugins, order and optimized "
                         "alone.");
  }
  const web::Query query(*selection, kSelectionParameters);
  Planned planned = plan_of(services, {call.request, call.path, call.caller, query});
  if (!is_impossible(planned)) return planned;
  return bad_parameter(name, "This selection can't be built. " + problem_of(planned));
}

}  // namespace goldsmith::handlers
