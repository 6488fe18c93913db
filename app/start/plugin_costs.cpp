// What plugins that play take of a frame (plugin_starts.hpp).
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>

#include "app/base/interruption.hpp"
#include "app/start/frame_cost.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/plugin_starts.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {

std::vector<StartedVersion> PluginStarts::measure(
    const std::vector<db::CheckableVersion>& versions, bool again,
    const std::function<void(std::size_t done, std::size_t total)>& tell) {
  std::vector<Line> all;
  each_line(versions, again, [&](Line& line) {
    if (line.unmeasured.empty()) return;
    line.player = player_of(line.server->plan);
    all.push_back(std::move(line));
  });
  started_.clear();
  left_.clear();
  std::size_t total = 0;
  // In another order each time: what can't be measured takes the time of its repository, too.
  std::mt19937 dice(std::random_device{}());
  for (Line& line : all) {
    std::ranges::shuffle(line.unmeasured, dice);
    total += line.unmeasured.size();
  }
  std::size_t done = 0;
  for (const Line& line : all) {
    for (const db::CheckableVersion* version : line.unmeasured) {
      measure(line, *version);
      tell(++done, total);
    }
  }
  report_left("measured", "check with --costs");
  return std::move(started_);
}

void PluginStarts::measure(const Line& line, const db::CheckableVersion& version) {
  base::check_interruption();
  std::chrono::milliseconds& taken = taken_[source_of(version)];
  if (taken >= most_of_source_) {
    ++left_["others of their repositories took too long"];
    return;
  }
  auto begin = std::chrono::steady_clock::now();
  try {
    const auto resolved = resolve(line.platform, {&version});
    const creator::Plan& plan = resolved->plan;
    StartedBeside beside;
    beside.player = line.player;
    const creator::RequestedPlugin* asked = find_plugin(plan.requested, version.slug);
    if (asked == nullptr || asked->binary.empty()) throw NoVerdict("no build");
    FrameCosts costs;
    in_turn([&] {
      begin = std::chrono::steady_clock::now();
      const base::UniqueFd zip = open_archive(plan, builds_);
      costs = measure_frame_costs(server_of(plan, zip, beside), host_.config.start, asked->binary);
    });
    const auto cost = std::ranges::find(costs.plugins, asked->binary, &FrameCost::file);
    if (cost == costs.plugins.end()) throw NoVerdict("the server does not list them");
    if (!cost->percent) throw NotTried(cost->unknown);
    domain::StartVerdict verdict = *known_start(version, line.name, line.bases.at(&version));
    verdict.frame_percent = cost->percent;
    checker_.verdicts.record_cost(version.id, verdict, *cost->percent);
    started_.push_back({&version, std::move(verdict)});
    return;
  } catch (const Unbuildable& failure) {
    ++left_[failure.what()];
  } catch (const NoVerdict& failure) {
    ++left_[failure.what()];
  } catch (const NotTried& failure) {
    ++left_[failure.what()];
  }
  taken += std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 begin);
}

}  // namespace goldsmith::start
