#include "app/cli/commands/starts.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/output.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/failure.hpp"
#include "app/host/account.hpp"
#include "app/host/shared_file.hpp"
#include "app/web/request.hpp"

namespace goldsmith::cli {

using Outcome = start::Report::Outcome;

namespace {

std::vector<start::AddedPlugin> added_plugins(const creator::Plan& plan) {
  std::vector<start::AddedPlugin> added;
  for (const creator::RequestedPlugin& each : plan.requested) {
    if (!each.binary.empty()) added.push_back({each.slug, each.binary});
  }
  return added;
}

constexpr std::array<web::Parameter, 5> kParameters{
    {{"components"}, {"plugins"}, {"order"}, {"optimized"}, {"cfg"}}};

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
    throw start::NotTried(damaged.what());
  }
  std::vector<archive::MemoryFile> made;
  for (auto& [path, content] : files) made.push_back({path, std::move(content)});
  return made;
}

// Beside `state`: the processes of the host share it.
std::filesystem::path standstill_file(const base::Config& config) {
  return config.state.parent_path() / "starts";
}

}  // namespace

creator::SelectionRequest request_of(const std::string& query) {
  const web::Query parsed(query, kParameters);
  auto request = creator::parse_selection_request(parsed.get("components"), parsed.get("plugins"),
                                                  parsed.flag("optimized"), parsed.get("order"));
  request.settings =
      creator::settings_text(creator::parse_settings(parsed.get("cfg").value_or("")));
  return request;
}

std::vector<std::string> unknown_parameters(const std::string& query) {
  return web::undeclared_names(query, kParameters);
}

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

creator::Resolved try_to_resolve(const creator::SelectionRequest& request,
                                 const Resolve& resolve_request) try {
  return resolve_request(request);
} catch (const compile::NeedsCompile&) {
  throw Failure(
      "a plugin of this selection was not compiled on this host yet; open the selection on the "
      "page of the server creator, which compiles it, and repeat this");
} catch (const domain::Failure& failure) {
  const bool is_too_large = failure.code == domain::Error::bad_request;
  throw Failure((is_too_large ? "this selection can't be built: "
                              : "a plugin of this selection can't be compiled: ") +
                failure.cause);
}

std::shared_ptr<const creator::ResolvedPlan> plan_of(const creator::Resolved& resolved) {
  if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
    throw Failure("this selection can't be built: " + problems_of(*invalid));
  }
  if (std::holds_alternative<creator::EmptySelection>(resolved)) {
    throw Failure("nothing is left to build of this selection");
  }
  return std::get<std::shared_ptr<const creator::ResolvedPlan>>(resolved);
}

std::size_t running_plugins(const start::Report& report) {
  return static_cast<std::size_t>(
      std::count_if(report.plugins.begin(), report.plugins.end(), start::runs));
}

std::shared_ptr<const creator::ResolvedPlan> resolve(const creator::SelectionRequest& request,
                                                     const Resolve& resolve_request) {
  return plan_of(try_to_resolve(request, resolve_request));
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::started:
      return "started";
    case Outcome::faulty:
      return "faulty";
    case Outcome::failed:
      break;
  }
  return "failed";
}

std::vector<std::string> lines_of(const start::Report& report) {
  std::vector<std::string> lines;
  for (const start::LoadedPlugin& plugin : report.plugins) {
    for (const std::string& error : plugin.errors) lines.push_back(plugin.file + ": " + error);
  }
  for (const auto* list : {&report.metamod, &report.modules}) {
    for (const start::Listed& each : *list) {
      if (start::is_running(each.state)) continue;
      lines.push_back((each.file.empty() ? each.name : each.file) + ": " + each.state);
    }
  }
  lines.insert(lines.end(), report.messages.begin(), report.messages.end());
  return lines;
}

std::string summary_of(const start::Report& report) {
  const std::size_t running = running_plugins(report);
  std::string text =
      fmt::format("{}, {} running", name_of(report.outcome), count_of(running, "plugin"));
  if (const std::size_t faulty = report.plugins.size() - running; faulty > 0) {
    text += fmt::format(", {} faulty", faulty);
  }
  const std::vector<std::string> lines = lines_of(report);
  return lines.empty() || report.outcome == Outcome::started ? text : text + ": " + lines.front();
}

std::string player_for(const creator::Plan& plan, const creator::ServerBuilds& builds,
                       const domain::Permit& may_compile) try {
  const creator::Selected* const platform = creator::platform(plan.selection);
  if (platform == nullptr) throw Failure("there is no AMX Mod X");
  const auto& line = platform->component->loads.toolchain;
  return builds.own_binary(start::play_plugin(), line.value_or(""), may_compile);
} catch (const domain::Failure& failure) {
  throw Failure(failure.cause);
}

std::optional<start::Report> play_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                                          const start::Report& started,
                                          const creator::ServerBuilds& builds,
                                          const domain::Permit& may_compile,
                                          const base::StartConfig& config, std::string& cause) {
  if (started.outcome != Outcome::started) return std::nullopt;
  if (creator::platform(plan.selection) == nullptr) return std::nullopt;
  std::string player;
  try {
    player = player_for(plan, builds, may_compile);
  } catch (const Failure& failure) {
    cause = failure.what();
    return std::nullopt;
  }
  start::Report report = start_archive(plan, zip, config, {{}, {}, std::move(player)});
  for (const creator::Selected& each : plan.selection.components) {
    if (each.component->layer != domain::Layer::bots || report.bots > 0) continue;
    report.messages.push_back(each.component->title() + ": no bot has joined");
  }
  return report;
}

// Whoever is not the user of the workers keeps what it compiles for servers in a folder of its own:
// root, because that user may put links in theirs, and others, who may not write there. The files
// that processes share are beside `state`.
base::Config config_for_builds(base::Config config, const std::filesystem::path& own) {
  if (!host::is_folder_of_another(config.archive_cache)) return config;
  config.archive_cache = own / "archives";
  config.artefact_cache = own / "plugins";
  config.state = own / "state";
  for (const auto* folder : {&config.archive_cache, &config.artefact_cache}) {
    std::filesystem::create_directory(*folder);
  }
  return config;
}

base::UniqueFd open_archive(const creator::Plan& plan, const creator::ServerBuilds& builds) {
  const base::UniqueFd low = builds.open(plan, std::filesystem::temp_directory_path());
  return base::above_standard(low);
}

start::Report start_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                            const base::StartConfig& config, const StartedBeside& beside,
                            const start::StartLimits& limits) {
  std::vector<start::AddedPlugin> plugins = added_plugins(plan);
  plugins.insert(plugins.end(), beside.plugins.begin(), beside.plugins.end());
  std::vector<archive::MemoryFile> files = secrets_for(plan, zip);
  files.insert(files.end(), beside.files.begin(), beside.files.end());
  return start::start_server(
      {zip.get(), std::move(plugins), std::move(files), beside.player, beside.tells_facts}, config,
      {}, limits);
}

start::Report start_plan(const creator::Plan& plan, const creator::ServerBuilds& builds,
                         const base::StartConfig& config, const StartedBeside& beside,
                         const start::StartLimits& limits) {
  return start_archive(plan, open_archive(plan, builds), config, beside, limits);
}

host::TurnQueue start_turns(const base::Config& config) {
  return {config.state.parent_path() / "digests", creator::ArchiveDigests::kStartQueue};
}

// Its time is that of the first failure, for as long as there is any: the text of one that lasts
// may name another folder each time.
void note_starts(Context& context, const std::string& cause) {
  const std::optional<Standstill> known = find_standstill(context.config());
  const std::string text = base::printable(cause);
  if ((known ? known->cause : "") == text) return;
  const std::filesystem::path file = standstill_file(context.config());
  std::error_code error;
  const auto since = std::filesystem::last_write_time(file, error);
  try {
    host::write_shared(file, text);
    if (known && !text.empty()) std::filesystem::last_write_time(file, since, error);
  } catch (const base::FileError& failure) {
    context.progress(failure.what());
  }
}

std::optional<Standstill> find_standstill(const base::Config& config) try {
  const std::filesystem::path file = standstill_file(config);
  const std::string cause = base::read_file(file);
  if (cause.empty()) return std::nullopt;
  const base::UniqueFd opened = base::open_file(file, O_RDONLY);
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return std::nullopt;
  return Standstill{base::printable(cause),
                    domain::Timestamp(std::chrono::seconds(status.st_mtim.tv_sec))};
} catch (const base::FileError&) {
  return std::nullopt;
}

}  // namespace goldsmith::cli
