// Plugins are started together, and what does not run or play there alone (plugin_starts.hpp).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/start/plugin_starts.hpp"
#include "app/start/resolving.hpp"

namespace goldsmith::start {

namespace {

using Result = domain::StartVerdict::Result;

constexpr std::size_t kMostMessages = 3;

// What strangers share is looked at once, and not for long: a server that runs needs no more.
StartLimits shared_limits() {
  StartLimits limits;
  limits.most_runs = 1;
  limits.cpu_seconds = 10;
  return limits;
}

std::vector<std::string> messages_of(const LoadedPlugin* loaded, const Report& report) {
  std::vector<std::string> messages = loaded != nullptr ? loaded->errors : report.messages;
  if (messages.empty()) messages = report.messages;
  if (messages.empty()) messages.push_back(loaded != nullptr ? loaded->state : "it is not loaded");
  if (messages.size() > kMostMessages) messages.resize(kMostMessages);
  return messages;
}

// What is between the two in the error for which AMX Mod X does not load the plugin; "" if it is
// another one.
std::string named_in_error(const LoadedPlugin* loaded, std::string_view before,
                           std::string_view behind) {
  if (loaded == nullptr || loaded->errors.empty()) return "";
  const std::string_view error = loaded->errors.front();
  if (!error.starts_with(before)) return "";
  const std::size_t end = error.find(behind, before.size());
  return end == std::string_view::npos
             ? ""
             : std::string(error.substr(before.size(), end - before.size()));
}

// The native for which AMX Mod X does not load the plugin, if the file of a module there has it:
// some are registered only beside another component, as Reunion's by ReAPI, or with data. Else "".
std::string unregistered_native(const creator::Selection& selection, const LoadedPlugin* loaded) {
  const std::string name = named_in_error(loaded, "Plugin uses an unknown function (name \"", "\"");
  if (name.empty()) return "";
  const bool is_there = std::ranges::any_of(selection.components, [&](const auto& component) {
    return std::ranges::any_of(component.version->files, [&](const domain::ManifestFile& file) {
      return file.natives && std::ranges::find(*file.natives, name) != file.natives->end();
    });
  });
  return is_there ? name : "";
}

// Whether what failed may work on a server: the plugin gave up without a database, which no start
// has, or without a component that ReAPI tells it of, or a native failed that works with one of
// these alone. `compiled`: may be null.
bool may_work_elsewhere(const domain::CompileVerdict* compiled, const LoadedPlugin* loaded) {
  if (loaded == nullptr) return false;
  const auto is_of_others = [](const std::string& error) {
    constexpr std::array<std::string_view, 4> kNatives{"SQL_", "dbi_", "REU_", "VTC_"};
    return std::ranges::any_of(kNatives, [&](std::string_view native) {
      return error.find("(native \"" + std::string(native)) != std::string::npos;
    });
  };
  if (std::ranges::any_of(loaded->errors, is_of_others)) return true;
  constexpr std::string_view kGaveUp = "error";  // set_fail_state()
  if (loaded->state != kGaveUp || compiled == nullptr) return false;
  if (!compiled->findings || !compiled->findings->needs) return false;
  const domain::PluginNeeds& needs = *compiled->findings->needs;
  const auto asks_for_other = [](const std::string& native) {
    return native == "has_reunion" || native == "has_vtc" || native == "has_rechecker";
  };
  return (needs.natives && std::ranges::any_of(needs.natives->imports, asks_for_other)) ||
         std::ranges::any_of(needs.required, [](const domain::PluginNeed& need) {
           return need.is_class && (need.name == "sqlx" || need.name == "dbi");
         });
}

// The first of the others that came with it and does not run; null if all do. A native of a plugin
// that was not loaded fails in whoever calls it.
const LoadedPlugin* idle_other(const Report& report, const domain::Slug& slug) {
  const auto found = std::ranges::find_if(report.plugins, [&](const LoadedPlugin& each) {
    return !each.slug.empty() && each.slug != slug.view() && !runs(each);
  });
  return found == report.plugins.end() ? nullptr : &*found;
}

}  // namespace

// Who is answerable for it: its repository, or else itself.
std::string PluginStarts::source_of(const db::CheckableVersion& version) {
  const auto found = checker_.stock.plugins.find_head(version.slug, version.version);
  const std::string repository = found ? found->version.origin.repository : "";
  return repository.empty() ? version.slug.str() : repository;
}

void PluginStarts::start_group(const Line& line, const Group& group) {
  base::check_interruption();
  if (group.size() == 1) return start_alone(line, *group.front());
  start_together(line, group);
}

// Who runs there, where nobody is to blame for what does not.
PluginStarts::Group PluginStarts::running(const Line& line, const Group& group,
                                          const std::string& player) {
  if (group.empty()) return {};
  Report report;
  try {
    const auto resolved = resolve(line.platform, group);
    // What one of them requires may be a plugin that shares no start.
    if (resolved->plan.requested.size() == group.size()) {
      report = start_in_turn(resolved->plan, shared_limits(), player);
    }
  } catch (const Unbuildable&) {
  } catch (const NoVerdict&) {
  } catch (const NotTried&) {
  }
  Group running;
  std::ranges::copy_if(group, std::back_inserter(running), [&](const auto* version) {
    const LoadedPlugin* loaded = find_plugin(report.plugins, version->slug);
    return loaded != nullptr && runs(*loaded);
  });
  return running;
}

void PluginStarts::start_together(const Line& line, const Group& group) {
  const Group started = running(line, group, "");
  const Group played = line.player.empty() ? started : running(line, started, line.player);
  for (const db::CheckableVersion* version : group) {
    const auto is_in = [&](const Group& of) { return std::ranges::find(of, version) != of.end(); };
    base::check_interruption();
    if (!is_in(played)) {
      start_alone(line, *version);
    } else {
      Verdict verdict{Result::runs};
      if (!line.player.empty()) verdict.play_error = "";
      record(line, *version, std::move(verdict));
    }
  }
}

// One that runs, as `started` says. `plan`: of that server.
void PluginStarts::play_alone(const Line& line, const db::CheckableVersion& version,
                              const creator::Plan& plan, const Report& started) {
  Verdict verdict{Result::runs};
  if (!line.player.empty() && idle_other(started, version.slug) == nullptr) {
    try {
      const Report report = start_in_turn(plan, {}, line.player);
      const LoadedPlugin* loaded = find_plugin(report.plugins, version.slug);
      const bool is_playing = loaded != nullptr && runs(*loaded);
      if (is_playing) {
        verdict.play_error = "";
      } else if (idle_other(report, version.slug) == nullptr) {
        std::vector<std::string> messages = messages_of(loaded, report);
        if (is_beyond_sandbox(line, version, report)) {
          verdict.messages = std::move(messages);
        } else {
          verdict.play_error = std::move(messages.front());
        }
      }
      if (!is_playing) taken_[source_of(version)] += report.duration;
    } catch (const NoVerdict&) {
    } catch (const NotTried&) {
    }
  }
  record(line, version, std::move(verdict));
}

void PluginStarts::start_alone(const Line& line, const db::CheckableVersion& version) {
  std::chrono::milliseconds& taken = taken_[source_of(version)];
  if (taken >= most_of_source_) {
    ++left_["others of their repositories took too long"];
    return;
  }
  std::shared_ptr<const creator::ResolvedPlan> resolved;
  StartLimits limits;
  Report report;
  try {
    resolved = resolve(line.platform, {&version});
    report = start_in_turn(resolved->plan, limits, "");
  } catch (const Unbuildable& failure) {
    return record(line, version, {Result::refused, {failure.what()}});
  } catch (const NoVerdict& cause) {
    ++left_[cause.what()];
    return;
  } catch (const NotTried& cause) {
    taken += limits.wall_clock;
    ++left_[cause.what()];
    return;
  }
  const creator::RequestedPlugin* asked = find_plugin(resolved->plan.requested, version.slug);
  const LoadedPlugin* loaded = find_plugin(report.plugins, version.slug);
  if (loaded != nullptr && runs(*loaded)) {
    return play_alone(line, version, resolved->plan, report);
  }
  taken += report.duration;
  if (asked == nullptr || asked->binary.empty()) {
    return record(line, version, {Result::refused, {asked != nullptr ? asked->reason : ""}});
  }
  if (const LoadedPlugin* other = idle_other(report, version.slug); other != nullptr) {
    // Its own page says why: what it prints is no word about this one.
    return record(line, version, {Result::refused, {"what it needs does not run: " + other->slug}});
  }
  if (const auto native = unregistered_native(resolved->plan.selection, loaded); !native.empty()) {
    return record(line, version,
                  {Result::refused,
                   {"a module has the function \"" + native +
                    "\", but not on this server: it may need another component, or data"}});
  }
  if (const std::string reason = who_has_library(line, version, loaded); !reason.empty()) {
    return record(line, version, {Result::refused, {reason}});
  }
  record(line, version,
         {is_beyond_sandbox(line, version, report) ? Result::refused : Result::faulty,
          messages_of(loaded, report)});
}

// That a plugin with a module filter is not loaded without a library that a plugin has; "" if it is
// not so. Nobody knows what its filter lets go, so that no server brings what it requires.
std::string PluginStarts::who_has_library(const Line& line, const db::CheckableVersion& version,
                                          const LoadedPlugin* loaded) {
  const domain::CompileVerdict* const verdict =
      compiled(version, line.name, fingerprints_.at(line.name));
  const bool is_filtered = verdict != nullptr && verdict->findings && verdict->findings->needs &&
                           verdict->findings->needs->is_filtered;
  if (!is_filtered) return "";
  const std::string name = named_in_error(loaded, "Module/Library \"", "\" required for plugin.");
  if (name.empty()) return "";
  const auto providers = builds_.providers().at(checker_.freshness.epoch());
  const creator::Provider provider = providers->of({.name = base::to_lower_ascii(name)}, line.name);
  if (provider.kind != creator::Provider::Kind::plugin || version.slug == provider.slug) return "";
  return fmt::format(
      "it is not loaded without the library \"{}\", which {} has: put that before it", name,
      provider.slug);
}

// Whether it needs what a server may have and a start has not. The list of calls is ours, too, and
// may lack one.
bool PluginStarts::is_beyond_sandbox(const Line& line, const db::CheckableVersion& version,
                                     const Report& report) const {
  return report.is_of_sandbox ||
         may_work_elsewhere(compiled(version, line.name, fingerprints_.at(line.name)),
                            find_plugin(report.plugins, version.slug));
}

void PluginStarts::record(const Line& line, const db::CheckableVersion& version, Verdict found) {
  const std::string& basis = line.bases.at(&version);
  domain::StartVerdict verdict{line.name, basis, found.result, std::move(found.messages),
                               std::move(found.play_error)};
  // What it costs there does not change while it plays.
  const domain::StartVerdict* const known = known_start(version, line.name, basis);
  if (verdict.play_error == "" && known != nullptr) verdict.frame_percent = known->frame_percent;
  checker_.verdicts.record_start(version.id, verdict);
  started_.push_back({&version, std::move(verdict)});
  tell_();
}

}  // namespace goldsmith::start
