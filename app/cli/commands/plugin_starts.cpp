#include "app/cli/commands/plugin_starts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/failure.hpp"
#include "app/host/account.hpp"
#include "app/host/sandbox.hpp"

namespace goldsmith::cli {
namespace {

using Result = domain::StartVerdict::Result;

constexpr std::size_t kMostInAGroup = 20;
constexpr std::size_t kDigitsOfBasis = 16;
constexpr std::size_t kMostMessages = 3;
constexpr std::chrono::seconds kWaitForTurn{1};

// No verdict, because of this host or of the moment.
class NoVerdict : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Root keeps what it compiles for servers in a folder of its own: that of the workers belongs to
// their user, who may put links in it. The files that processes share are beside `state`.
base::Config config_for_builds(base::Config config, const std::filesystem::path& own) {
  if (!host::is_root_in_folder_of_another(config.archive_cache)) return config;
  config.archive_cache = own / "archives";
  config.artefact_cache = own / "plugins";
  config.state = own / "state";
  for (const auto* folder : {&config.archive_cache, &config.artefact_cache}) {
    std::filesystem::create_directory(*folder);
  }
  return config;
}

const domain::CompileVerdict* compiled(const db::CheckableVersion& version, const std::string& line,
                                       const std::string& fingerprint) {
  const auto* verdict = domain::find_verdict(version.verdicts, line, fingerprint);
  return verdict != nullptr && verdict->result == domain::CompileResult::ok ? verdict : nullptr;
}

bool is_known(const db::CheckableVersion& version, const std::string& line,
              const std::string& basis) {
  return std::any_of(version.starts.begin(), version.starts.end(), [&](const auto& start) {
    return start.toolchain == line && start.basis == basis;
  });
}

// Others might run only because of it: it has natives or libraries for them.
bool serves_others(const domain::CompileVerdict& verdict) {
  if (!verdict.findings || !verdict.findings->needs) return true;  // not known
  const domain::PluginNeeds& needs = *verdict.findings->needs;
  if (!needs.registers.empty()) return true;
  return needs.natives && (!needs.natives->offers.empty() || needs.natives->offers_more);
}

std::vector<std::string> messages_of(const start::LoadedPlugin* loaded,
                                     const start::Report& report) {
  std::vector<std::string> messages = loaded != nullptr ? loaded->errors : report.messages;
  if (messages.empty()) messages.push_back(loaded != nullptr ? loaded->state : "it is not loaded");
  if (messages.size() > kMostMessages) messages.resize(kMostMessages);
  return messages;
}

// The platform did not load it, and said why: others that share its start have nothing to do with
// that.
bool is_rejected(const start::LoadedPlugin& plugin) {
  return plugin.state == "bad load" && !plugin.errors.empty();
}

// Null if there is none.
template <typename Plugin>
const Plugin* find(const std::vector<Plugin>& plugins, const domain::Slug& slug) {
  const auto found = std::find_if(plugins.begin(), plugins.end(),
                                  [&](const auto& each) { return each.slug == slug.view(); });
  return found == plugins.end() ? nullptr : &*found;
}

}  // namespace

PluginStarts::PluginStarts(CheckHost& host, Context& context)
    : host_(host),
      context_(context),
      config_(config_for_builds(context.config(), own_.path())),
      builds_(host.stock, host.stack, config_, config_.state.parent_path(),
              [this] { return host_.freshness.verdicts(); }),
      verdicts_(context.database()),
      starters_(context.config().state.parent_path() / "digests"),
      fingerprints_(host.checks.basis().fingerprints()) {}

std::vector<StartedVersion> PluginStarts::start(
    const std::vector<db::CheckableVersion>& versions, bool again,
    const std::function<void(std::size_t done, std::size_t total)>& tell) {
  started_.clear();
  const std::vector<Line> all = lines(versions, again);
  std::size_t total = 0;
  for (const Line& line : all) total += line.versions.size();
  tell_ = [&] { tell(started_.size(), total); };
  for (const Line& line : all) {
    try {
      for (const Group& group : groups(line)) start(line, group);
    } catch (const NoVerdict& cause) {
      context_.report("AMX Mod X " + line.name + ": " + cause.what());
    }
  }
  return std::move(started_);
}

// Those of which the recommended server can be built, with what is to be started.
std::vector<PluginStarts::Line> PluginStarts::lines(
    const std::vector<db::CheckableVersion>& versions, bool again) {
  std::vector<Line> all;
  const auto catalog = host_.stock.catalog.catalog(host_.freshness.epoch());
  for (const auto& [name, fingerprint] : fingerprints_) {
    const auto platform = std::ranges::find_if(catalog->components(), [&](const auto& component) {
      return component.selectable && component.latest() && component.loads.toolchain == name;
    });
    if (platform == catalog->components().end()) continue;
    Line line{name, platform->slug.str(), "", {}};
    try {
      const auto server = resolve(line.platform, {});
      line.basis = base::sha256_hex(server->plan.build_hash + fingerprint + GOLDSMITH_VERSION)
                       .substr(0, kDigitsOfBasis);
      for (const db::CheckableVersion& version : versions) {
        if (!compiled(version, name, fingerprint)) continue;
        if (again || !is_known(version, name, line.basis)) line.versions.push_back(&version);
      }
      if (line.versions.empty()) continue;
      const start::Report report = start_alone_on_host(server->plan);
      if (report.outcome == start::Report::Outcome::failed) {
        throw Failure("the recommended server does not start: " + summary_of(report));
      }
      all.push_back(std::move(line));
    } catch (const Failure& failure) {
      context_.progress("no plugin is started with AMX Mod X " + name + ": " + failure.what());
    } catch (const NoVerdict& cause) {
      context_.report("AMX Mod X " + name + ": " + cause.what());
    }
  }
  return all;
}

// A version that brings models, sounds or natives might make others run; one that ends the engine
// costs all that share its start further ones.
bool PluginStarts::may_share(const db::CheckableVersion& version, const std::string& line) {
  const auto* verdict = compiled(version, line, fingerprints_.at(line));
  if (verdict == nullptr || serves_others(*verdict)) return false;
  const auto found = host_.stock.plugins.find_version(version.slug, version.version);
  if (!found) return false;
  const auto& files = found->version.files;
  // Without a model no map starts.
  if (std::ranges::any_of(creator::missing_files(found->version),
                          &domain::PrecachedFile::is_model)) {
    return false;
  }
  return std::all_of(files.begin(), files.end(), [](const domain::PluginFile& file) {
    return domain::is_source(file) || domain::installed_path(file).starts_with("addons/amxmodx/");
  });
}

// No plugin is twice in a group.
std::vector<PluginStarts::Group> PluginStarts::groups(const Line& line) {
  std::vector<Group> shared;
  std::vector<Group> alone;
  for (const db::CheckableVersion* version : line.versions) {
    if (!may_share(*version, line.name)) {
      alone.push_back({version});
      continue;
    }
    const auto room = std::find_if(shared.begin(), shared.end(), [&](const Group& group) {
      return group.size() < kMostInAGroup &&
             std::none_of(
                 group.begin(), group.end(),
                 [&](const auto* each) { return each->slug == version->slug; });
    });
    if (room == shared.end()) {
      shared.push_back({version});
    } else {
      room->push_back(version);
    }
  }
  shared.insert(shared.end(), alone.begin(), alone.end());
  return shared;
}

std::shared_ptr<const creator::ResolvedPlan> PluginStarts::resolve(const std::string& platform,
                                                                   const Group& group) {
  const std::uint64_t epoch = host_.freshness.epoch();
  std::vector<creator::Token> plugins;
  for (const auto* each : group) plugins.push_back({each->slug.str(), each->version.str()});
  const auto may_compile = host_.gate.background_start_permit();
  const Resolve resolve_request = [&](const creator::SelectionRequest& request) {
    while (true) {
      try {
        return builds_.resolve(request, may_compile, epoch);
      } catch (const domain::Failure& failure) {
        if (failure.code == domain::Error::bad_request) throw;
        if (!failure.refusal) throw NoVerdict(failure.cause.empty() ? "no build" : failure.cause);
        base::interruptible_sleep(failure.refusal->wait);
      } catch (const compile::PluginGone& gone) {
        throw NoVerdict(gone.what());
      } catch (const archive::MissingDepotFile& missing) {
        throw NoVerdict(missing.what());
      }
    }
  };
  return resolve_with({{platform, ""}}, plugins, *host_.stock.catalog.catalog(epoch),
                      resolve_request);
}

start::Report PluginStarts::start_alone_on_host(const creator::Plan& plan) {
  while (true) {
    if (const auto turn = starters_.try_acquire(creator::ArchiveDigests::kStarterRow, 1)) {
      try {
        return start_plan(plan, builds_, context_.config().start);
      } catch (const archive::MissingDepotFile& missing) {
        throw NoVerdict(missing.what());
      }
    }
    base::interruptible_sleep(kWaitForTurn);
  }
}

void PluginStarts::start(const Line& line, const Group& group) {
  base::check_interruption();
  const bool is_alone = group.size() == 1;
  std::shared_ptr<const creator::ResolvedPlan> resolved;
  try {
    resolved = resolve(line.platform, group);
  } catch (const Failure& failure) {
    if (is_alone) return record(line, *group.front(), Result::refused, {failure.what()});
    return start_parts(line, group, (group.size() + 1) / 2);
  }
  const creator::Plan& plan = resolved->plan;
  const start::Report report = start_alone_on_host(plan);
  Group rest;
  for (const db::CheckableVersion* version : group) {
    const creator::RequestedPlugin* asked = find(plan.requested, version->slug);
    const start::LoadedPlugin* loaded = find(report.plugins, version->slug);
    if (loaded != nullptr && start::runs(*loaded)) {
      record(line, *version, Result::runs, {});
    } else if (!is_alone && !(loaded != nullptr && is_rejected(*loaded))) {
      rest.push_back(version);
    } else if (asked == nullptr || asked->binary.empty()) {
      record(line, *version, Result::refused, {asked != nullptr ? asked->reason : ""});
    } else {
      std::vector<std::string> messages = messages_of(loaded, report);
      const bool is_ours = messages.front().starts_with(host::kRefusedCall);
      record(line, *version, is_ours ? Result::refused : Result::faulty, std::move(messages));
    }
  }
  if (!rest.empty()) start_parts(line, rest, rest.size() == group.size() ? rest.size() / 2 : 1);
}

void PluginStarts::start_parts(const Line& line, const Group& group, std::size_t size) {
  for (std::size_t begin = 0; begin < group.size(); begin += size) {
    const std::size_t end = std::min(begin + size, group.size());
    start(line, Group(group.begin() + static_cast<std::ptrdiff_t>(begin),
                      group.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

void PluginStarts::record(const Line& line, const db::CheckableVersion& version, Result result,
                          std::vector<std::string> messages) {
  domain::StartVerdict verdict{line.name, line.basis, result, std::move(messages)};
  verdicts_.record_start(version.id, verdict);
  started_.push_back({&version, std::move(verdict)});
  tell_();
}

}  // namespace goldsmith::cli
