#include "app/start/named_start.hpp"

#include <set>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/start/planned_server.hpp"
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

}  // namespace

NamedStart start_named(const NamedServer& server, bool tells_facts, const Host& host) {
  const base::StartConfig& config = host.config.start;
  const base::UniqueFd zip = open_archive(server.plan, server.builds);
  host.step("starting the server");
  if (tells_facts) {
    StartedBeside beside;
    beside.play = Questions::Play::facts;
    beside.player = player_for(server.plan, server.builds, server.may_compile);
    beside.files = missing_models(server.plan, server.plugins);
    return {start_archive(server.plan, zip, config, beside)};
  }
  NamedStart started{start_archive(server.plan, zip, config)};
  auto played = play_archive(server.plan, zip, started.report, server.builds, server.may_compile,
                             config, started.unplayed);
  started.is_played = played.has_value();
  if (played) started.report = *std::move(played);
  return started;
}

std::variant<Report, FrameCosts> measure_named(const NamedServer& server, const Host& host) {
  const base::StartConfig& config = host.config.start;
  const base::UniqueFd zip = open_archive(server.plan, server.builds);
  host.step("starting the server");
  Report report = start_archive(server.plan, zip, config);
  if (report.outcome != Report::Outcome::started) return report;
  StartedBeside beside;
  beside.player = player_for(server.plan, server.builds, server.may_compile);
  host.step("measuring what the plugins cost");
  return measure_frame_costs(server_of(server.plan, zip, beside), config);
}

}  // namespace goldsmith::start
