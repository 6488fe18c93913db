#include "app/start/plugin_starts.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/base/count.hpp"
#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/failure.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/start/background.hpp"
#include "app/start/frame_cost.hpp"
#include "app/start/planned_server.hpp"
#include "app/start/resolving.hpp"
#include "app/start/summary.hpp"

namespace goldsmith::start {
namespace {

using Result = domain::StartVerdict::Result;

constexpr std::size_t kMostInAGroup = 20;
constexpr std::size_t kDigitsOfBasis = 16;

// By what our own compiler wrote: what it calls is AMX Mod X's, whose natives can't replace what
// the server prints, as those of ReAPI and other modules can; and it has no natives or libraries
// for others, which might run only because of it. What is not known is no proof.
bool keeps_to_itself(const domain::CompileVerdict& verdict) {
  if (!verdict.findings || !verdict.findings->needs) return false;
  const domain::PluginNeeds& needs = *verdict.findings->needs;
  if (!needs.registers.empty() || !needs.natives) return false;
  const domain::PluginNatives& natives = *needs.natives;
  return natives.imports.empty() && !natives.is_filtered && natives.offers.empty() &&
         !natives.offers_more;
}

}  // namespace

const domain::CompileVerdict* PluginStarts::compiled(const db::CheckableVersion& version,
                                                     const std::string& line,
                                                     const std::string& fingerprint) {
  const auto* verdict = domain::find_verdict(version.verdicts, line, fingerprint);
  return verdict != nullptr && verdict->result == domain::CompileResult::ok ? verdict : nullptr;
}

const domain::StartVerdict* PluginStarts::known_start(const db::CheckableVersion& version,
                                                      const std::string& line,
                                                      const std::string& basis) {
  const auto found = std::ranges::find_if(version.starts, [&](const auto& start) {
    return start.toolchain == line && start.basis == basis;
  });
  return found == version.starts.end() ? nullptr : &*found;
}

PluginStarts::PluginStarts(directory::CheckHost& checker, Host host,
                           std::chrono::milliseconds most_of_source)
    : checker_(checker),
      host_(std::move(host)),
      most_of_source_(most_of_source),
      config_(directory::config_for_builds(host_.config, own_.path())),
      builds_(checker_.server_builds(config_)),
      turns_(start_turns(host_.config)),
      fingerprints_(checker_.checks.basis().fingerprints()) {}

std::vector<StartedVersion> PluginStarts::start(
    const std::vector<db::CheckableVersion>& versions, bool again,
    const std::function<void(std::size_t done, std::size_t total)>& tell) {
  std::vector<Line> all;
  each_line(versions, again, [&](Line& line) {
    if (line.versions.empty() && line.unplayed.empty()) return;
    prepare(line);
    all.push_back(std::move(line));
  });
  started_.clear();
  left_.clear();
  std::size_t total = 0;
  for (const Line& line : all) total += line.versions.size();
  tell_ = [&] { tell(started_.size(), total); };
  for (const Line& line : all) {
    for (const Group& group : groups(line)) start_group(line, group);
  }
  report_left("tried", "check");
  return std::move(started_);
}

void PluginStarts::report_left(const std::string& what, const std::string& next) const {
  for (const auto& [why, count] : left_) {
    const bool is_for_good = why == kHooksWhatIsSent;
    host_.report(base::count_of(count, "version") + " of plugins " + (count == 1 ? "was" : "were") +
                 " not " + what +
                 (is_for_good ? "" : ", which is tried again by the next " + next) + ": " + why);
  }
}

const domain::Component* PluginStarts::platform_of(const std::string& line,
                                                   const domain::Catalog& catalog) {
  const auto platform = std::ranges::find_if(catalog.components(), [&](const auto& component) {
    return component.selectable && component.latest() && component.loads.toolchain == line;
  });
  return platform == catalog.components().end() ? nullptr : &*platform;
}

std::set<std::string> PluginStarts::lines() const {
  const auto catalog = checker_.stock.catalog.catalog(checker_.freshness.epoch());
  std::set<std::string> lines;
  for (const auto& [line, fingerprint] : fingerprints_) {
    if (platform_of(line, *catalog) != nullptr) lines.insert(line);
  }
  return lines;
}

void PluginStarts::each_line(const std::vector<db::CheckableVersion>& versions, bool again,
                             const std::function<void(Line& line)>& use) {
  const auto catalog = checker_.stock.catalog.catalog(checker_.freshness.epoch());
  for (const auto& [name, fingerprint] : fingerprints_) {
    const domain::Component* const platform = platform_of(name, *catalog);
    if (platform == nullptr) continue;
    const std::string shown = "AMX Mod X " + name;
    Line line{name, platform->slug.str()};
    try {
      find_versions(line, versions, again);
      if (!line.bases.empty()) use(line);
    } catch (const Unbuildable& failure) {
      host_.step("there are no starts with " + shown + ": " + failure.what());
    } catch (const NoVerdict& cause) {
      host_.report(shown + ": " + cause.what());
    } catch (const NotTried& cause) {
      host_.report(shown + ": the recommended server was not tried: " + cause.what());
    }
  }
}

void PluginStarts::prepare(Line& line) {
  const Report report = start_in_turn(line.server->plan, {}, "");
  if (report.outcome == Report::Outcome::failed) {
    throw Unbuildable("the recommended server does not start: " + summary_of(report));
  }
  line.player = find_player(line, line.server->plan);
  if (!line.player.empty()) std::ranges::copy(line.unplayed, std::back_inserter(line.versions));
  std::ranges::stable_sort(line.versions, std::greater(), &db::CheckableVersion::downloads);
}

void PluginStarts::find_versions(Line& line, const std::vector<db::CheckableVersion>& versions,
                                 bool again) {
  const std::string& fingerprint = fingerprints_.at(line.name);
  line.server = resolve(line.platform, {});
  line.basis = base::sha256_hex(line.server->plan.build_hash + fingerprint + GOLDSMITH_VERSION +
                                std::string(play_source()))
                   .substr(0, kDigitsOfBasis);
  checker_.stack.watch.generation();  // whose verdicts tell what a plugin has for others
  const auto providers = builds_.providers().at(checker_.freshness.epoch());
  for (const db::CheckableVersion& version : versions) {
    const domain::CompileVerdict* verdict = compiled(version, line.name, fingerprint);
    if (verdict == nullptr) continue;
    std::string basis = basis_of(line, *verdict, *providers);
    const domain::StartVerdict* const known = known_start(version, line.name, basis);
    const bool plays = known != nullptr && known->play_error == "";
    const bool is_unmeasured = plays && (again || !known->frame_percent);
    const bool is_unplayed = known != nullptr && known->result == Result::runs &&
                             !known->play_error && known->messages.empty();
    if (is_unmeasured) line.unmeasured.push_back(&version);
    if (known == nullptr || again) {
      line.versions.push_back(&version);
    } else if (is_unplayed) {
      line.unplayed.push_back(&version);
    } else if (!is_unmeasured) {
      continue;
    }
    line.bases.emplace(&version, std::move(basis));
  }
}

std::size_t PluginStarts::take(
    const std::vector<db::CheckableVersion>& versions,
    const std::function<std::vector<domain::StartVerdict>(const db::CheckableVersion& version)>&
        told) {
  std::size_t taken = 0;
  each_line(versions, false, [&](const Line& line) {
    for (const db::CheckableVersion* version : line.versions) {
      for (const domain::StartVerdict& start : told(*version)) {
        if (start.toolchain != line.name || start.basis != line.bases.at(version)) continue;
        checker_.verdicts.record_start(version->id, start);
        ++taken;
      }
    }
  });
  return taken;
}

// Who has what it needs is a part of what it is started with: what lacked a native is no proof once
// somebody has it, and neither is what ran with another version of that.
std::string PluginStarts::basis_of(const Line& line, const domain::CompileVerdict& verdict,
                                   const creator::Providers& providers) const {
  if (!verdict.findings || !verdict.findings->needs) return line.basis;
  const std::string text = providers.named_for(*verdict.findings->needs, line.name);
  if (text.empty()) return line.basis;
  return base::sha256_hex(line.basis + "\n" + text).substr(0, kDigitsOfBasis);
}

// A version that brings models, sounds or natives might make others run; one that ends the engine
// costs all that share its start further ones. With an emulator there is a /proc, in which a plugin
// can read what the console is asked.
bool PluginStarts::may_share(const db::CheckableVersion& version, const std::string& line) {
  const auto* verdict = compiled(version, line, fingerprints_.at(line));
  if (verdict == nullptr || !keeps_to_itself(*verdict)) return false;
  if (!config_.start.emulator.empty()) return false;
  const auto found = checker_.stock.plugins.find_version(version.slug, version.version);
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

// In the order of their first versions. No plugin is twice in a group.
std::vector<PluginStarts::Group> PluginStarts::groups(const Line& line) {
  std::vector<Group> groups;
  std::vector<std::size_t> shared;  // places
  for (const db::CheckableVersion* version : line.versions) {
    const bool shares = may_share(*version, line.name);
    const auto room = std::ranges::find_if(shared, [&](std::size_t place) {
      const Group& group = groups[place];
      return shares && group.size() < kMostInAGroup &&
             std::ranges::none_of(
                 group, [&](const auto* each) { return each->slug == version->slug; });
    });
    if (room != shared.end()) {
      groups[*room].push_back(version);
      continue;
    }
    if (shares) shared.push_back(groups.size());
    groups.push_back({version});
  }
  return groups;
}

std::shared_ptr<const creator::ResolvedPlan> PluginStarts::resolve(const std::string& platform,
                                                                   const Group& group) {
  const std::uint64_t epoch = checker_.freshness.epoch();
  std::vector<creator::Token> plugins;
  for (const auto* each : group) plugins.push_back({each->slug.str(), each->version.str()});
  const auto may_compile = checker_.gate.background_start_permit();
  const Resolve resolve_request = [&](const creator::SelectionRequest& request) {
    try {
      return builds_.resolve(request, may_compile, epoch);
    } catch (const domain::Failure& failure) {
      if (failure.code == domain::Error::bad_request || failure.refusal) throw;
      throw NoVerdict(failure.cause.empty() ? "no build" : failure.cause);
    } catch (const compile::PluginGone& gone) {
      throw NoVerdict(gone.what());
    } catch (const archive::MissingDepotFile& missing) {
      throw NoVerdict(missing.what());
    } catch (const host::Unreadable& unreadable) {
      throw NoVerdict(unreadable.what());
    }
  };
  auto always = std::chrono::seconds::max();
  return when_allowed(always, [&] {
    return resolve_with({{platform, ""}}, plugins, *checker_.stock.catalog.catalog(epoch),
                        resolve_request);
  });
}

std::string PluginStarts::player_of(const creator::Plan& plan) {
  return when_allowed(patience_, [&] {
    return player_for(plan, builds_, checker_.gate.background_start_permit());
  });
}

// A server that plays badly without any of them says nothing about them.
std::string PluginStarts::find_player(const Line& line, const creator::Plan& plan) {
  try {
    std::string player = player_of(plan);
    const Report report = start_in_turn(plan, {}, player);
    if (report.outcome == Report::Outcome::started) return player;
    throw Unbuildable("the recommended server does not play: " + summary_of(report));
  } catch (const Unbuildable& failure) {
    host_.step("nobody plays with AMX Mod X " + line.name + ": " + failure.what());
  } catch (const NotTried& cause) {
    host_.step("nobody plays with AMX Mod X " + line.name + ": " + cause.what());
  }
  return "";
}

Report PluginStarts::start_in_turn(const creator::Plan& plan, const StartLimits& limits,
                                   const std::string& player) {
  Report report;
  in_turn(
      [&] { report = start_plan(plan, builds_, host_.config.start, {{}, {}, player}, limits); });
  return report;
}

void PluginStarts::in_turn(const std::function<void()>& use) {
  const host::TurnQueue::Turn turn = turns_.wait();
  try {
    use();
    note_standstill(host_, "");
  } catch (const archive::MissingDepotFile& missing) {
    throw NoVerdict(missing.what());
  } catch (const archive::ZipError& damaged) {
    throw NoVerdict(damaged.what());
  } catch (const compile::PluginGone& gone) {
    throw NoVerdict(gone.what());
  } catch (const Unavailable& unavailable) {
    note_standstill(host_, unavailable.what());
    throw;
  }
}

}  // namespace goldsmith::start
