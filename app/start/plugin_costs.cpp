// What plugins that play take of a frame (plugin_starts.hpp).
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "app/base/interruption.hpp"
#include "app/start/frame_cost.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/plugin_starts.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {

namespace {

// As the plan registers it; "" if it does not.
std::string file_of(const creator::Plan& plan, const domain::Slug& slug) {
  const auto found =
      std::ranges::find(plan.requested, slug.view(), &creator::RequestedPlugin::slug);
  return found == plan.requested.end() ? "" : found->binary;
}

}  // namespace

void PluginStarts::measure_group(const Line& line, const Group& group) {
  base::check_interruption();
  std::chrono::milliseconds& taken = taken_[source_of(*group.front())];
  const bool is_alone = group.size() == 1;
  if (is_alone && taken >= most_of_source_) {
    ++left_["others of their repositories took too long"];
    return;
  }
  auto begin = std::chrono::steady_clock::now();
  std::string cause;
  try {
    const auto resolved = resolve(line.platform, group);
    const creator::Plan& plan = resolved->plan;
    StartedBeside beside;
    beside.player = line.player;
    FrameCosts costs;
    in_turn([&] {
      begin = std::chrono::steady_clock::now();
      const base::UniqueFd zip = open_archive(plan, builds_);
      costs = measure_frame_costs(server_of(plan, zip, beside), host_.config.start);
    });
    for (const db::CheckableVersion* version : group) {
      const auto cost =
          std::ranges::find(costs.plugins, file_of(plan, version->slug), &FrameCost::file);
      if (cost == costs.plugins.end() || !cost->percent) {
        ++left_["this host was too busy to tell what they cost"];
        continue;
      }
      record(line, *version, {domain::StartVerdict::Result::runs, {}, "", cost->percent});
    }
    return;
  } catch (const Unbuildable& failure) {
    cause = failure.what();
  } catch (const NoVerdict& failure) {
    cause = failure.what();
  } catch (const NotTried& failure) {
    cause = failure.what();
  }
  if (is_alone) {
    taken += std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    ++left_[cause];
    return;
  }
  for (const db::CheckableVersion* version : group) measure_group(line, {version});
}

}  // namespace goldsmith::start
