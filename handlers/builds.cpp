#include "handlers/builds.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/creator/settings.hpp"
#include "handlers/known_builds.hpp"
#include "handlers/views/server_view.hpp"

namespace goldsmith::handlers {

namespace {

using domain::Error;

}  // namespace

web::Response without_body(std::string_view content_type) {
  web::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

creator::SelectionRequest read_selection(const web::Query& query) {
  auto request = creator::parse_selection_request(query.get("components"), query.get("plugins"),
                                                  query.flag("optimized"), query.get("order"));
  request.settings = creator::settings_text(creator::parse_settings(query.get("cfg").value_or("")));
  return request;
}

creator::SelectionRequest selection_of(const web::Query& query, const creator::Plan& plan) {
  if (!query.get("build")) return read_selection(query);
  return read_selection(web::Query(plan.build_query, kSelectionParameters));
}

creator::Resolved resolve(Services& services, const Call& call,
                          const creator::SelectionRequest& selection) {
  creator::check_size(selection);
  creator::check_order(selection);
  creator::check_size(creator::parse_settings(selection.settings));
  std::optional<domain::Permit> may_compile;
  if (!call.request.is_head()) may_compile = services.gate.compiler_start_permit(call.caller);
  return services.builds.resolve(selection, may_compile, services.freshness.epoch());
}

std::vector<creator::MissingRequire> lacking_of(Services& services, const Call& call,
                                                const creator::SelectionRequest& selection) {
  try {
    creator::Resolved resolved = resolve(services, call, selection);
    auto* const invalid = std::get_if<creator::InvalidSelection>(&resolved);
    if (invalid != nullptr) return std::move(invalid->missing_requires);
  } catch (const compile::NeedsCompile&) {
    return {};
  } catch (...) {
    static_cast<void>(failure_of_build());
  }
  return {};
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

Planned plan_of(Services& services, const Call& call) {
  if (const auto build = call.query.get("build")) return asked_plan(services, call, *build);
  try {
    creator::Resolved resolved = resolve(services, call, read_selection(call.query));
    if (auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
      return std::move(*invalid);
    }
    const auto* found = std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved);
    if (found == nullptr) return creator::EmptySelection();
    return PlanPtr(*found, &(*found)->plan);
  } catch (const compile::NeedsCompile&) {
    return NotCompiled();
  } catch (...) {
    return failure_of_build();
  }
}

bool is_impossible(const Planned& planned) {
  if (const auto* failure = std::get_if<domain::Failure>(&planned)) {
    const int status = domain::info(failure->code).status;
    return status == 400 || status == 422;
  }
  return std::holds_alternative<creator::InvalidSelection>(planned) ||
         std::holds_alternative<creator::EmptySelection>(planned);
}

std::string problem_of(const Planned& planned) {
  if (const auto* failure = std::get_if<domain::Failure>(&planned)) {
    const auto reason = failure->fields.find("reason");
    if (reason != failure->fields.end()) return *reason->second.as_string();
  }
  const auto* invalid = std::get_if<creator::InvalidSelection>(&planned);
  if (invalid == nullptr) return "It is empty.";
  if (!invalid->conflicts.empty()) return invalid->conflicts.front().reason.english();
  if (!invalid->layer_conflicts.empty()) {
    return "One of these can be chosen: " +
           base::join(invalid->layer_conflicts.front().components, ",") + ".";
  }
  if (!invalid->missing_requires.empty()) return invalid->missing_requires.front().reason.english();
  if (!invalid->unavailable.empty()) return invalid->unavailable.front().reason.english();
  return "There is no component \"" + invalid->unknown.front() + "\".";
}

web::Response answer(const Services& services, const Call& call, const Planned& planned,
                     const web::Response& head, const Use& use) {
  const Errors& errors = services.errors;
  const auto* plan = std::get_if<PlanPtr>(&planned);
  if (const auto* invalid = std::get_if<creator::InvalidSelection>(&planned)) {
    return errors.make(Error::invalid_selection, views::invalid_selection(*invalid));
  }
  if (std::holds_alternative<creator::EmptySelection>(planned)) {
    return errors.make(Error::empty_selection);
  }
  if (const auto* failure = std::get_if<domain::Failure>(&planned)) {
    return errors.make(*failure, call.request.id);
  }
  try {
    return plan == nullptr ? head : use(**plan);
  } catch (const compile::NeedsCompile&) {
    return head;
  } catch (...) {
    return errors.make(failure_of_build(), call.request.id);
  }
}

}  // namespace goldsmith::handlers
