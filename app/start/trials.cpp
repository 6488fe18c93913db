#include "app/start/trials.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/count.hpp"
#include "app/base/text.hpp"
#include "app/creator/server_builds.hpp"
#include "app/start/resolving.hpp"
#include "app/start/summary.hpp"

namespace goldsmith::start {

namespace {

using Progress = std::function<void(std::string_view)>;

Trial try_version(const db::VersionName& version, const Progress& progress, const Host& host) try {
  creator::OfflineBuilds builds(host.config, host.clock, host.database);
  const auto catalog = builds.catalog.catalog(0);
  if (std::ranges::none_of(catalog->components(), &domain::Component::is_default)) {
    return {std::nullopt, "no component is recommended", false};
  }
  std::shared_ptr<const creator::ResolvedPlan> resolved;
  try {
    resolved = resolve_with({{version.slug.str(), version.version.str()}}, {}, *catalog,
                            [&](const auto& request) { return builds.resolve(request); });
  } catch (const Unbuildable& failure) {
    return {std::nullopt, failure.what(), false};
  }
  if (std::ranges::none_of(resolved->plan.selection.components, [](const auto& each) {
        return each.component->layer == domain::Layer::engine;
      })) {
    return {std::nullopt, "the latest version of no engine goes with it", false};
  }
  progress("starting the recommended server with it");
  Trial trial{start_plan(resolved->plan, builds.builds, host.config.start)};
  if (trial.report->outcome == Report::Outcome::failed) return trial;
  try {
    trial.probed = probe(resolved->plan, builds, host.config);
  } catch (const NotTried& cause) {
    trial.unprobed = cause.what();
  } catch (const Unbuildable& failure) {
    trial.unprobed = failure.what();
  }
  return trial;
} catch (const Unavailable& unavailable) {
  return {std::nullopt, unavailable.what()};
} catch (const NotTried& cause) {
  return {std::nullopt, cause.what()};
} catch (const archive::MissingDepotFile& missing) {
  return {std::nullopt, missing.what()};
}

// Why the version is to stay held, of what its start showed; "" if nothing speaks against it.
// `before`: the trial of the former version.
std::string obstacle(const Trial& trial, const Trial& before, const std::string& defects) {
  if (!trial.report) return trial.is_possible ? "it could not be started here" : "";
  if (before.report) {
    const std::string declined = decline(*trial.report, *before.report);
    return declined.empty() ? defects : declined;
  }
  return trial.report->outcome == Report::Outcome::started
             ? ""
             : "the recommended server does not run with it: " + summary_of(*trial.report);
}

// `reason`: "" = it is released.
void record(const db::VersionName& version, const std::string& reason, const Host& host) {
  std::optional<domain::Hold> hold;
  if (!reason.empty()) {
    hold = {std::string(base::first_code_points(reason, domain::kMostHoldReason)),
            host.clock.seconds(), domain::HoldKind::start};
  }
  if (db::ComponentStore(host.database).settle(version, hold)) return;
  throw Unbuildable(version.slug + " " + version.version.str() +
                    " is not mirrored any more, or somebody held or released it meanwhile, which "
                    "stays");
}

}  // namespace

domain::Hold hold_until_tried() {
  return {"it is being mirrored, and was not started yet; if this stays, mirroring was interrupted",
          {},
          domain::HoldKind::unstarted};
}

Judgement judge_mirrored(const db::VersionName& version, bool is_held,
                         const std::optional<domain::Version>& former,
                         const std::function<void(std::string_view)>& progress, const Host& host) {
  Judgement judged{try_version(version, progress, host)};
  const Trial& trial = judged.trial;
  const bool has_faults =
      std::ranges::any_of(trial.probed, [](const auto& native) { return !native.second.empty(); });
  Trial before;
  if ((is_held || has_faults) && trial.report && former && *former != version.version) {
    before = try_version({version.slug, *former}, progress, host);
  }
  judged.defects = new_defects(trial.probed, before.probed);
  if (!judged.defects.empty()) {
    judged.defects = fmt::format("natives that were right with {} are not with it: {}",
                                 former->view(), judged.defects);
  }
  if (!is_held) return judged;
  const std::string reason = obstacle(trial, before, judged.defects);
  record(version, reason, host);
  judged.is_released = reason.empty();
  return judged;
}

std::string decline(const Report& now, const Report& before) {
  const auto rank = [](const Report& report) {
    using enum Report::Outcome;
    return report.outcome == started ? 0 : report.outcome == faulty ? 1 : 2;
  };
  const auto faults = [](const Report& report) {
    return report.plugins.size() - running_plugins(report);
  };
  if (rank(now) > rank(before) || (rank(now) == rank(before) && faults(now) > faults(before))) {
    return "the recommended server does not run with it: " + summary_of(now);
  }
  const auto running = [](const std::vector<Listed>& listed) {
    return static_cast<std::size_t>(
        std::ranges::count_if(listed, [](const Listed& each) { return is_running(each.state); }));
  };
  const auto less = [](std::size_t runs, std::size_t ran, std::string_view what) {
    return fmt::format("the recommended server loads less with it: {}, {} before",
                       base::count_of(runs, std::string(what)), ran);
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

}  // namespace goldsmith::start
