#include "app/start/server_start.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"
#include "app/host/sandbox.hpp"
#include "app/start/engine.hpp"

namespace goldsmith::start {
namespace {

// The plugins as the console lists them, and which of them were added. The server's own are listed
// before those, so that of two names that are cut to one the later is the added one.
std::vector<LoadedPlugin> listed_plugins(const Console& console,
                                         const std::vector<AddedPlugin>& added) {
  std::vector<LoadedPlugin> plugins;
  for (const Listed& each : console.plugins) {
    const std::string file = each.may_be(kPlayer) ? kPlayer : each.file;
    plugins.push_back({"", file, each.name, each.version, each.state});
  }
  std::size_t end = plugins.size();
  for (auto wanted = added.rbegin(); wanted != added.rend(); ++wanted) {
    for (std::size_t i = end; i > 0; --i) {
      if (!console.plugins[i - 1].may_be(wanted->file)) continue;
      plugins[i - 1].slug = wanted->slug;
      plugins[i - 1].file = wanted->file;
      end = i - 1;
      break;
    }
  }
  return plugins;
}

// The first of `plugins` that is not in the console's list.
std::optional<std::string> find_missing(const Names& plugins, const Console& console) {
  std::vector<AddedPlugin> added;
  for (const std::string& file : plugins) added.push_back({file, file});
  const std::vector<LoadedPlugin> listed = listed_plugins(console, added);
  const auto missing = std::ranges::find_if(plugins, [&](const std::string& file) {
    return std::ranges::find(listed, file, &LoadedPlugin::slug) == listed.end();
  });
  return missing == plugins.end() ? std::nullopt : std::optional(*missing);
}

// What was run before is not run again. An engine that says nothing of a plugin has ended, too: one
// that was told to quit answers on, without AMX Mod X.
class Starter {
 public:
  Starter(const Server& server, const base::StartConfig& config, const HostFiles& host_files,
          const StartLimits& limits)
      : engine_(server, config, host_files, limits), limits_(limits) {}

  const Engine& engine() const { return engine_; }
  bool may_start() const {
    return engine_.runs() < limits_.most_runs &&
           engine_.processor_time() < std::chrono::seconds(limits_.total_cpu_seconds);
  }
  // False also if that was not tried.
  bool ran_without_any() const {
    const auto known = attempts_.find({});
    return known != attempts_.end() && known->second.end.empty();
  }

  bool knows(const Names& plugins) const { return attempts_.contains(plugins); }

  const EngineRun& start(const Names& plugins) {
    const auto known = attempts_.find(plugins);
    if (known != attempts_.end()) return known->second;
    EngineRun run = engine_.run(plugins);
    if (run.end.empty()) {
      if (const auto missing = find_missing(plugins, run.console)) {
        run.end = "AMX Mod X does not list " + *missing;
      }
    }
    return attempts_.emplace(plugins, std::move(run)).first->second;
  }

 private:
  Engine engine_;
  const StartLimits& limits_;
  std::map<Names, EngineRun> attempts_;
};

// A plugin with which the engine ends.
struct Culprit {
  std::string file;
  // With it alone. Absent = the engine ends only when others are there, too, and any of them may
  // be why; then `together` says so.
  std::optional<EngineRun> alone;
  std::string together = {};
};

// Whether AMX Mod X answers when no plugin was added.
bool can_list(const Console& console) {
  return !console.plugins.empty() || !console.modules.empty();
}

// ": models/x.mdl not found", where the engine ended for lack of that; else "". It is all that is
// told of what was printed beside several, of which any may have printed it.
std::string missing_model(const Console& console) {
  constexpr std::string_view kBefore = "Mod_LoadModel: ";
  constexpr std::string_view kBehind = " not found";
  constexpr std::string_view kOfPaths =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_-.";
  constexpr std::size_t kLongestPath = 64;  // of what can be precached
  for (const Problem& problem : console.problems) {
    const std::size_t at = problem.text.find(kBefore);
    if (problem.weight != Problem::Weight::fatal || at == std::string::npos) continue;
    const std::string rest = problem.text.substr(at + kBefore.size());
    const std::string path = rest.substr(0, rest.find(kBehind));
    const bool is_path = path.find_first_not_of(kOfPaths) == std::string::npos;
    if (is_path && path.size() <= kLongestPath) return fmt::format(": {}{}", path, kBehind);
  }
  return "";
}

// The first of `plugins` with which the engine ends when those before it are there, too.
// std::nullopt if it ends without any, or there is no start left.
std::optional<Culprit> find_culprit(const Names& plugins, Starter& starter) {
  if (!starter.start(plugins).was_executed || !starter.may_start()) return std::nullopt;
  const EngineRun& without_any = starter.start({});
  if (!without_any.end.empty() || !can_list(without_any.console)) return std::nullopt;
  std::size_t good = 0;  // how many the engine runs with
  std::size_t bad = plugins.size();
  while (bad - good > 1) {
    if (!starter.may_start()) return std::nullopt;
    const std::size_t middle = (good + bad) / 2;
    const auto end = plugins.begin() + static_cast<std::ptrdiff_t>(middle);
    (starter.start({plugins.begin(), end}).end.empty() ? good : bad) = middle;
  }
  const std::string& file = plugins[bad - 1];
  if (!starter.may_start() && !starter.knows({file})) return std::nullopt;
  const EngineRun& alone = starter.start({file});
  if (!alone.end.empty()) return Culprit{file, alone};
  const auto end = plugins.begin() + static_cast<std::ptrdiff_t>(bad);
  return Culprit{file, std::nullopt,
                 fmt::format("the engine ends with {} {} {} together, not with the last of them "
                             "alone, which is left out{}",
                             plugins.front(), bad == 2 ? "and" : "to", file,
                             missing_model(starter.start({plugins.begin(), end}).console))};
}

// The plugin that a problem is about; null if that is not said, or it is not there. `plugins`:
// those of listed_plugins() first.
LoadedPlugin* plugin_of(const Problem& problem, const Console& console,
                        std::vector<LoadedPlugin>& plugins) {
  if (problem.row) return &plugins[*problem.row];
  if (problem.plugin.empty()) return nullptr;
  const auto whole = std::ranges::find(plugins, problem.plugin, &LoadedPlugin::file);
  if (whole != plugins.end()) return &*whole;
  for (std::size_t i = 0; i < console.plugins.size(); ++i) {
    if (plugins[i].slug.empty() && console.plugins[i].may_be(problem.plugin)) return &plugins[i];
  }
  return nullptr;
}

// What may be said of a plugin beside strangers, one of which may have said it: that a run time
// error ended it, in words that are not theirs: numbers, and names of natives and functions. "" =
// it is no such error.
std::string run_time_error(const std::string& text) {
  constexpr std::string_view kBefore = "Run time error ";
  constexpr std::string_view kNative = "(native \"";
  constexpr std::string_view kFunction = " in ";
  constexpr std::string_view kLine = " (line ";
  constexpr std::size_t kMostDigits = 3;
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kBefore.size();
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  if (end == begin || end - begin > kMostDigits) return "";
  std::string error = text.substr(at, end - at);
  if (const std::size_t native = text.find(kNative); native != std::string::npos) {
    const std::size_t name = native + kNative.size();
    const std::string word = text.substr(name, text.find('"', name) - name);
    if (domain::is_native_name(word)) error += " (native \"" + word + "\")";
  }
  const std::size_t line = text.rfind(kLine);
  const std::size_t function = text.rfind(kFunction, line);
  if (line == std::string::npos || function == std::string::npos) return error;
  const std::size_t name = function + kFunction.size();
  const std::size_t number = line + kLine.size();
  const std::size_t last = std::min(text.find_first_not_of("0123456789", number), text.size());
  if (domain::is_native_name(text.substr(name, line - name)) && text.substr(last) == ")") {
    error += text.substr(function);
  }
  return error;
}

// What ends the engine at a player's command, whatever plugins there are: the module moves the
// first six bytes of the function for it, which in the game library cut an instruction in two.
bool may_break_commands(const Console& console) {
  constexpr std::string_view kBefore = "ReGameDLL ";
  if (console.event.empty() || !console.game.starts_with(kBefore)) return false;
  const std::string_view game = std::string_view(console.game).substr(kBefore.size());
  return domain::version_order(game, "5.28") >= 0 &&
         std::ranges::any_of(console.modules, [](const Listed& each) {
           return each.name == "CStrike" && each.version == "1.8.2";
         });
}

Report report_of(const EngineRun& last, const std::vector<Culprit>& culprits,
                 const std::vector<AddedPlugin>& added) {
  const Console& console = last.console;
  Report report;
  report.engine = console.engine;
  report.game = console.game;
  report.metamod = console.metamod;
  report.modules = console.modules;
  report.bots = console.bots;
  report.facts = console.facts;
  report.plugins = listed_plugins(console, added);
  report.is_of_sandbox =
      last.is_of_sandbox || std::ranges::any_of(culprits, [](const Culprit& culprit) {
        return culprit.alone && culprit.alone->is_of_sandbox;
      });
  for (const AddedPlugin& each : added) {
    const bool is_listed =
        std::any_of(report.plugins.begin(), report.plugins.end(),
                    [&](const LoadedPlugin& plugin) { return plugin.slug == each.slug; });
    if (is_listed) continue;
    LoadedPlugin plugin{each.slug, each.file, "", "", "missing"};
    for (const Culprit& culprit : culprits) {
      if (culprit.file != each.file) continue;
      plugin.state = "left out";
      if (!culprit.alone) continue;
      for (const Problem& problem : culprit.alone->console.problems) {
        if (problem.weight == Problem::Weight::fatal) plugin.errors.push_back(problem.text);
      }
      plugin.errors.push_back(culprit.alone->end);
    }
    report.plugins.push_back(std::move(plugin));
  }
  if (!last.end.empty()) {
    report.messages.push_back(last.end);
    if (may_break_commands(console)) {
      report.messages.emplace_back(
          "the module CStrike of AMX Mod X 1.8.2 may be the cause: it fits "
          "ReGameDLL_CS 5.26, but not 5.28");
    }
  }
  for (const Culprit& culprit : culprits) {
    if (!culprit.together.empty()) report.messages.push_back(culprit.together);
  }
  using enum Problem::Weight;
  for (const Problem::Weight weight : {fatal, error, warning}) {
    for (const Problem& problem : console.problems) {
      if (problem.weight != weight) continue;
      LoadedPlugin* plugin =
          weight == warning ? nullptr : plugin_of(problem, console, report.plugins);
      const std::string before = problem.event.empty() ? "" : problem.event + ": ";
      std::string text = problem.text;
      if (plugin != nullptr && !problem.row && added.size() > 1) {
        text = run_time_error(text);
        if (text.empty()) plugin = nullptr;
      }
      (plugin ? plugin->errors : report.messages)
          .push_back(before + (plugin ? text : problem.text));
    }
  }
  std::erase_if(report.plugins, [](const auto& each) { return each.file == kPlayer; });
  return report;
}

bool all_runs(const Report& report) {
  const auto runs = [](const Listed& each) { return is_running(each.state); };
  return std::all_of(report.metamod.begin(), report.metamod.end(), runs) &&
         std::all_of(report.modules.begin(), report.modules.end(), runs) &&
         std::all_of(report.plugins.begin(), report.plugins.end(), start::runs);
}

}  // namespace

bool runs(const LoadedPlugin& plugin) { return is_running(plugin.state) && plugin.errors.empty(); }

domain::PluginVersion play_plugin() {
  return domain::own_plugin("svc_play.sma", std::string(play_source()));
}

Report start_server(const Server& server, const base::StartConfig& config,
                    const HostFiles& host_files, const StartLimits& limits) {
  Starter starter(server, config, host_files, limits);
  Names plugins;
  for (const AddedPlugin& each : server.added) plugins.push_back(each.file);
  std::vector<Culprit> culprits;
  EngineRun attempt = starter.start(plugins);
  while (!attempt.end.empty() && !plugins.empty()) {
    auto culprit = find_culprit(plugins, starter);
    if (!culprit) break;
    std::erase(plugins, culprit->file);
    culprits.push_back(*std::move(culprit));
    if (!starter.may_start() && !starter.knows(plugins)) break;
    attempt = starter.start(plugins);
  }
  Report report = report_of(attempt, culprits, server.added);
  report.outcome = starter.ran_without_any() || attempt.end.empty() ? Report::Outcome::faulty
                                                                    : Report::Outcome::failed;
  if (report.outcome == Report::Outcome::faulty && all_runs(report)) {
    report.outcome = Report::Outcome::started;
  }
  report.runs = starter.engine().runs();
  report.duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(starter.engine().duration());
  return report;
}

}  // namespace goldsmith::start
