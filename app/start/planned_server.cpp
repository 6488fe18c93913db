#include "app/start/planned_server.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "app/base/digest.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {
namespace {

// In the order in which the archive's list has them: what a plugin uses is set up before it.
std::vector<AddedPlugin> added_plugins(const creator::Plan& plan) {
  std::vector<const creator::RequestedPlugin*> listed;
  for (const creator::RequestedPlugin& each : plan.requested) {
    if (!each.binary.empty()) listed.push_back(&each);
  }
  std::ranges::stable_sort(listed, {}, &creator::RequestedPlugin::place);
  std::vector<AddedPlugin> added;
  for (const auto* each : listed) added.push_back({each->slug, each->binary});
  return added;
}

// What the updater makes for each new server, made for this one.
std::vector<archive::MemoryFile> secrets_for(const creator::Plan& plan, const base::UniqueFd& zip) {
  constexpr std::size_t kLength = 32;
  std::map<std::string, std::string> files;
  try {
    const archive::ZipReader reader(base::above_standard(zip), "the server");
    for (const creator::Selected& each : plan.selection.components) {
      for (const domain::Secret& secret : each.component->secrets) {
        const auto entry =
            std::ranges::find(reader.entries(), secret.file, &archive::ZipEntry::path);
        if (secret.is_suggested || entry == reader.entries().end()) continue;
        std::string& content = files.try_emplace(secret.file, reader.read(*entry)).first->second;
        std::string filled =
            domain::fill_setting(content, secret.setting, base::random_alphanumeric(kLength));
        if (!filled.empty()) content = std::move(filled);
      }
    }
  } catch (const archive::ZipError& damaged) {
    throw NotTried(damaged.what());
  }
  std::vector<archive::MemoryFile> made;
  for (auto& [path, content] : files) made.push_back({path, std::move(content)});
  return made;
}

}  // namespace

std::string player_for(const creator::Plan& plan, const creator::ServerBuilds& builds,
                       const domain::Permit& may_compile) try {
  const creator::Selected* const platform = creator::platform(plan.selection);
  if (platform == nullptr) throw Unbuildable("there is no AMX Mod X");
  const auto& line = platform->component->loads.toolchain;
  return builds.own_binary(play_plugin(), line.value_or(""), may_compile);
} catch (const domain::Failure& failure) {
  throw_unbuildable(failure, "");
}

std::optional<Report> play_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                                   const Report& started, const std::string& player,
                                   const base::StartConfig& config) {
  if (started.outcome != Report::Outcome::started || player.empty()) return std::nullopt;
  Report report = start_archive(plan, zip, config, {{}, {}, player});
  for (const creator::Selected& each : plan.selection.components) {
    if (each.component->layer != domain::Layer::bots || report.bots > 0) continue;
    report.messages.push_back(each.component->title() + ": no bot has joined");
  }
  return report;
}

base::UniqueFd open_archive(const creator::Plan& plan, const creator::ServerBuilds& builds) {
  const base::UniqueFd low = builds.open(plan, std::filesystem::temp_directory_path());
  return base::above_standard(low);
}

Server server_of(const creator::Plan& plan, const base::UniqueFd& zip,
                 const StartedBeside& beside) {
  std::vector<AddedPlugin> plugins = added_plugins(plan);
  plugins.insert(plugins.end(), beside.plugins.begin(), beside.plugins.end());
  std::vector<archive::MemoryFile> files = secrets_for(plan, zip);
  files.insert(files.end(), beside.files.begin(), beside.files.end());
  return {zip.get(), std::move(plugins), std::move(files), beside.player, beside.play};
}

Report start_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                     const base::StartConfig& config, const StartedBeside& beside,
                     const StartLimits& limits) {
  return start_server(server_of(plan, zip, beside), config, {}, limits);
}

Report start_plan(const creator::Plan& plan, const creator::ServerBuilds& builds,
                  const base::StartConfig& config, const StartedBeside& beside,
                  const StartLimits& limits) {
  return start_archive(plan, open_archive(plan, builds), config, beside, limits);
}

}  // namespace goldsmith::start
