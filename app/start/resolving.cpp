#include "app/start/resolving.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "app/base/count.hpp"
#include "app/base/text.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/recommended.hpp"
#include "app/start/texts.hpp"

namespace goldsmith::start {
namespace {

// What stands in the way of a selection, in one line.
std::string problems_of(const creator::InvalidSelection& invalid) {
  std::vector<std::string> problems;
  const auto add = [&](std::string problem) { problems.push_back(std::move(problem)); };
  if (!invalid.unknown.empty()) add("unknown: " + base::join(invalid.unknown, ", "));
  for (const auto& each : invalid.unavailable) add(each.component + ": " + each.reason.english());
  for (const auto& each : invalid.conflicts) {
    add(each.component + " conflicts with " + each.with + ": " + each.reason.english());
  }
  for (const auto& each : invalid.missing_requires) {
    add(each.component + " requires " + each.versions.of(each.requires_) + ": " +
        each.reason.english());
  }
  for (const auto& each : invalid.layer_conflicts) {
    add("only one of the layer " + each.layer +
        " can be chosen: " + base::join(each.components, ", "));
  }
  return base::join(problems, "; ");
}

// Throws Unbuildable if a plugin stands in the way.
creator::Resolved try_to_resolve(const creator::SelectionRequest& request,
                                 const Resolve& resolve_request) try {
  return reading_texts([&] { return resolve_request(request); });
} catch (const compile::NeedsCompile&) {
  throw Unbuildable(
      "a plugin of this selection was not compiled on this host yet; open the selection on the "
      "page of the server creator, which compiles it, and repeat this");
} catch (const domain::Failure& failure) {
  const bool is_too_large = failure.code == domain::Error::bad_request;
  throw_unbuildable(failure, is_too_large ? "this selection can't be built: "
                                          : "a plugin of this selection can't be compiled: ");
}

// Throws Unbuildable if there is none.
std::shared_ptr<const creator::ResolvedPlan> plan_of(const creator::Resolved& resolved) {
  if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
    throw Unbuildable("this selection can't be built: " + problems_of(*invalid));
  }
  if (std::holds_alternative<creator::EmptySelection>(resolved)) {
    throw Unbuildable("nothing is left to build of this selection");
  }
  return std::get<std::shared_ptr<const creator::ResolvedPlan>>(resolved);
}

// A request that is changed until it can be built.
class Wish {
 public:
  Wish(const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
       const domain::Catalog& catalog)
      : catalog_(catalog) {
    for (const creator::Token& token : plugins) plugins_[token.slug] = token.version;
    for (const creator::Token& token : components) {
      add(token.slug, token.version);
      asked_.push_back(token.slug);
    }
    for (const domain::Component* component : creator::recommended(catalog).components) {
      add_default(*component);
    }
  }

  creator::SelectionRequest request() const {
    creator::SelectionRequest request;
    request.components.emplace();
    for (const auto& [slug, version] : chosen_) request.components->push_back({slug, version});
    for (const auto& [slug, version] : plugins_) request.plugins.push_back({slug, version});
    return request;
  }

  // False if nothing can be done about it.
  bool adapt(const creator::InvalidSelection& invalid) {
    bool is_changed = false;
    for (const creator::Conflict& each : invalid.conflicts) {
      is_changed = drop(is_asked(each.component) ? each.with : each.component) || is_changed;
    }
    for (const creator::MissingRequire& each : invalid.missing_requires) {
      is_changed = add(each.requires_, version_in(each)) || is_changed;
    }
    return is_changed;
  }

 private:
  bool is_asked(const std::string& slug) const {
    return std::find(asked_.begin(), asked_.end(), slug) != asked_.end();
  }

  // Unless another one of its exclusive layer is asked for.
  void add_default(const domain::Component& component) {
    const bool is_exclusive = domain::info(component.layer).exclusive;
    for (const domain::Component& other : catalog_.components()) {
      const bool is_rival = is_exclusive && other.layer == component.layer;
      if (is_rival && chosen_.contains(other.slug.str())) return;
    }
    chosen_.try_emplace(component.slug.str());
  }

  // The newest one that will do; "" = the latest.
  std::string version_in(const creator::MissingRequire& missing) const {
    const domain::Component* component = catalog_.find(missing.requires_);
    if (component == nullptr) return "";
    for (const domain::ComponentVersion& version : component->versions) {
      if (version.held || !missing.versions.contains(version.version)) continue;
      return &version == component->latest() ? "" : version.version.str();
    }
    return "";
  }

  bool drop(const std::string& slug) { return !is_asked(slug) && chosen_.erase(slug) > 0; }

  bool add(const std::string& slug, const std::string& version) {
    constexpr std::string_view kPlugin = "plugin:";
    if (slug.starts_with(kPlugin)) return plugins_.try_emplace(slug.substr(kPlugin.size())).second;
    const domain::Component* component = catalog_.find(slug);
    if (component != nullptr && domain::info(component->layer).exclusive) {
      for (const domain::Component& other : catalog_.components()) {
        const bool is_other = other.slug != component->slug;
        if (other.layer == component->layer && is_other) drop(other.slug.str());
      }
    }
    if (is_asked(slug) && chosen_.contains(slug)) return false;
    const auto [place, is_new] = chosen_.try_emplace(slug, version);
    return is_new || std::exchange(place->second, version) != version;
  }

  const domain::Catalog& catalog_;
  std::vector<std::string> asked_;
  // With their versions; "" = the latest.
  std::map<std::string, std::string> chosen_;
  std::map<std::string, std::string> plugins_;
};

}  // namespace

Refused::Refused(std::chrono::seconds until_allowed)
    : Unbuildable("this host compiles as much as it may for now; repeat this in " +
                  base::count_of(until_allowed.count(), "second")),
      wait(until_allowed) {}

void throw_unbuildable(const domain::Failure& failure, const std::string& what) {
  if (failure.refusal) throw Refused(failure.refusal->wait);
  throw Unbuildable(what + failure.what());
}

std::shared_ptr<const creator::ResolvedPlan> resolve(const creator::SelectionRequest& request,
                                                     const Resolve& resolve_request) {
  return plan_of(try_to_resolve(request, resolve_request));
}

std::shared_ptr<const creator::ResolvedPlan> resolve_with(
    const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
    const domain::Catalog& catalog, const Resolve& resolve_request) {
  constexpr int kMostChanges = 20;
  Wish wish(components, plugins, catalog);
  for (int changes = 0;; ++changes) {
    const creator::Resolved resolved = try_to_resolve(wish.request(), resolve_request);
    const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved);
    if (invalid == nullptr || changes == kMostChanges || !wish.adapt(*invalid)) {
      return plan_of(resolved);
    }
  }
}

}  // namespace goldsmith::start
