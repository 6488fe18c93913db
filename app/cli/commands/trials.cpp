#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/cli/commands/probes.hpp"
#include "app/cli/commands/starts.hpp"
#include "app/cli/output.hpp"
#include "app/creator/recommended.hpp"

namespace goldsmith::cli {
namespace {

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

Trial try_version(const db::VersionName& version, const Progress& progress, Context& context) try {
  creator::OfflineBuilds builds(context.config(), context.clock(), context.database());
  const auto catalog = builds.catalog.catalog(0);
  if (std::ranges::none_of(catalog->components(), &domain::Component::is_default)) {
    return {std::nullopt, "no component is recommended", false};
  }
  std::shared_ptr<const creator::ResolvedPlan> resolved;
  try {
    resolved = resolve_with({{version.slug.str(), version.version.str()}}, {}, *catalog,
                            [&](const auto& request) { return builds.resolve(request); });
  } catch (const Failure& failure) {
    return {std::nullopt, failure.what(), false};
  }
  if (std::ranges::none_of(resolved->plan.selection.components, [](const auto& each) {
        return each.component->layer == domain::Layer::engine;
      })) {
    return {std::nullopt, "the latest version of no engine goes with it", false};
  }
  progress("starting the recommended server with it");
  Trial trial{start_plan(resolved->plan, builds.builds, context.config().start)};
  if (trial.report->outcome == start::Report::Outcome::failed) return trial;
  try {
    trial.probed = probe(resolved->plan, builds, context);
  } catch (const start::NotTried& cause) {
    context.progress(fmt::format("no native was tried: {}", cause.what()));
  } catch (const Failure& failure) {
    context.progress(fmt::format("no native was tried: {}", failure.what()));
  }
  return trial;
} catch (const start::Unavailable& unavailable) {
  return {std::nullopt, unavailable.what()};
} catch (const start::NotTried& cause) {
  return {std::nullopt, cause.what()};
} catch (const archive::MissingDepotFile& missing) {
  return {std::nullopt, missing.what()};
}

std::string decline(const start::Report& now, const start::Report& before) {
  const auto rank = [](const start::Report& report) {
    using enum start::Report::Outcome;
    return report.outcome == started ? 0 : report.outcome == faulty ? 1 : 2;
  };
  const auto faults = [](const start::Report& report) {
    return report.plugins.size() - running_plugins(report);
  };
  if (rank(now) > rank(before) || (rank(now) == rank(before) && faults(now) > faults(before))) {
    return "the recommended server does not run with it: " + summary_of(now);
  }
  const auto running = [](const std::vector<start::Listed>& listed) {
    return static_cast<std::size_t>(std::ranges::count_if(
        listed, [](const start::Listed& each) { return start::is_running(each.state); }));
  };
  const auto less = [](std::size_t runs, std::size_t ran, std::string_view what) {
    return fmt::format("the recommended server loads less with it: {}, {} before",
                       count_of(runs, std::string(what)), ran);
  };
  if (const auto runs = running_plugins(now), ran = running_plugins(before); runs < ran) {
    return less(runs, ran, "plugin");
  }
  if (const auto runs = running(now.modules), ran = running(before.modules); runs < ran) {
    return less(runs, ran, "module");
  }
  if (const auto runs = running(now.metamod), ran = running(before.metamod); runs < ran) {
    return less(runs, ran, "Metamod plugin");
  }
  return "";
}

}  // namespace goldsmith::cli
