#include "app/start/named_start.hpp"

#include <set>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/resolving.hpp"
#include "app/start/stand_ins.hpp"

namespace goldsmith::start {
namespace {

// Of models that plugins of the plan lack.
std::vector<archive::MemoryFile> missing_models(const creator::Plan& plan,
                                                db::PluginStore& plugins) {
  std::set<std::string> paths;
  for (const creator::PlannedPlugin& planned : plan.plugins) {
    const auto slug = domain::Slug::parse(planned.slug);
    const auto found = slug ? plugins.find_version(*slug, planned.version) : std::nullopt;
    if (!found) continue;
    for (const domain::PrecachedFile& file : creator::missing_files(found->version)) {
      if (file.is_model) paths.insert(file.path);
    }
  }
  std::vector<archive::MemoryFile> files;
  for (const std::string& path : paths) {
    files.push_back({"cstrike/" + path, stand_in(path)});
  }
  return files;
}

// A server that was started, with the archive that it was started of.
struct Started {
  base::UniqueFd zip;
  Report report;
};
Started start_first(const NamedServer& server, const StartedBeside& beside, const Host& host) {
  base::UniqueFd zip = open_archive(server.plan, server.builds);
  host.step("starting the server");
  Report report = start_archive(server.plan, zip, host.config.start, beside);
  return {std::move(zip), std::move(report)};
}

}  // namespace

NamedStart start_named(const NamedServer& server, bool tells_facts, const Host& host) {
  if (tells_facts) {
    StartedBeside beside;
    beside.play = Questions::Play::facts;
    beside.player = player_for(server.plan, server.builds, server.may_compile);
    beside.files = missing_models(server.plan, server.plugins);
    return {start_first(server, beside, host).report};
  }
  Started first = start_first(server, {}, host);
  NamedStart started{std::move(first.report)};
  if (started.report.outcome != Report::Outcome::started) return started;
  if (creator::platform(server.plan.selection) == nullptr) return started;
  std::string player;
  try {
    player = player_for(server.plan, server.builds, server.may_compile);
  } catch (const Unbuildable& failure) {
    started.unplayed = failure.what();
  }
  auto played = play_archive(server.plan, first.zip, started.report, player, host.config.start);
  started.is_played = played.has_value();
  if (played) started.report = *std::move(played);
  return started;
}

std::variant<Report, FrameCosts> measure_named(const NamedServer& server, const Host& host) {
  Started first = start_first(server, {}, host);
  if (first.report.outcome != Report::Outcome::started) return std::move(first.report);
  StartedBeside beside;
  beside.player = player_for(server.plan, server.builds, server.may_compile);
  host.step("measuring what the plugins cost");
  return measure_frame_costs(server_of(server.plan, first.zip, beside), host.config.start);
}

}  // namespace goldsmith::start
