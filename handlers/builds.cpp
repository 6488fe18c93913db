#include "handlers/builds.hpp"

#include <chrono>
#include <variant>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
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

}  // namespace goldsmith::handlers
