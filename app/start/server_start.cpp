#include "app/start/server_start.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/host/process.hpp"
#include "app/host/sandbox.hpp"
#include "app/start/stand_ins.hpp"

namespace goldsmith::start {
namespace {

namespace fs = std::filesystem;
using host::ProcessEnd;

// In the sandbox.
constexpr const char* kFolder = "/server";
constexpr const char* kGame = "/game";
constexpr const char* kEmulator = "/emulator";
constexpr const char* kInput = "goldsmith-console.txt";

// What a server shows or plays to clients alone, and maps, which may be large.
constexpr const char* kLeftOut[] = {"*.bsp", "*.nav", "*.wav", "*.mp3", "*.tga", "*.bmp"};

// An emulator gives the program less than all 32-bit addresses, and has tables and code of its own.
constexpr std::uint64_t kEmulatedBytes = 1ULL << 30;

base::UniqueFd memory_file(const std::string& content) {
  const base::UniqueFd file(::memfd_create("server", MFD_CLOEXEC));
  if (!file) throw base::FileError("memory", "memfd_create", errno);
  base::write_all(file.get(), content, "memory");
  return base::above_standard(file);
}

using Names = std::vector<std::string>;  // of plugins, as they are listed

// How the engine ended before it was asked for everything.
std::string end_of(const host::ProcessOutcome& outcome, const StartLimits& limits) {
  if (host::used_up_processor_time(outcome, limits.cpu_seconds)) {
    return "it takes more than " + std::to_string(limits.cpu_seconds) + " s of processor time";
  }
  switch (outcome.end) {
    case ProcessEnd::wall_clock:
      return "it takes more than " + std::to_string(limits.wall_clock.count()) + " s";
    case ProcessEnd::output_limit:
      return "it prints more than " + base::binary_size(limits.output_bytes);
    default:
      break;
  }
  if (!outcome.reason.empty()) return outcome.reason;
  const int number = host::signal_of(outcome);
  return number != 0 ? "the engine ended by " + host::signal_name(number)
                     : "the engine ended with the exit code " + std::to_string(outcome.code);
}

// One run of the engine.
struct Attempt {
  Console console;
  std::string end;  // "" = it was asked for everything
};

class Starter {
 public:
  Starter(const Server& server, const base::StartConfig& config, const HostFiles& host_files,
          const StartLimits& limits)
      : server_(server), config_(config), host_files_(host_files), limits_(limits) {
    std::vector<archive::MemoryFile> files =
        stand_ins(config.game_folder.empty() ? "cstrike" : "valve");
    files.push_back({"libsteam_api.so", steam_library(), true});
    stand_ins_ = memory_file(archive::zip_in_memory(files));
  }

  int starts() const { return starts_; }
  std::chrono::microseconds duration() const { return duration_; }
  bool may_start() const { return starts_ < kMostStarts; }
  // False also if that was not tried.
  bool ran_without_any() const {
    const auto known = attempts_.find({});
    return known != attempts_.end() && known->second.end.empty();
  }

  // What was started before is not started again.
  const Attempt& start(const Names& plugins) {
    const auto known = attempts_.find(plugins);
    return known != attempts_.end() ? known->second
                                    : attempts_.emplace(plugins, run(plugins)).first->second;
  }

 private:
  Attempt run(const Names& plugins) {
    ++starts_;
    std::vector<archive::MemoryFile> files = server_.files;
    files.push_back({kInput, console_commands(kMap), false});
    files.push_back(
        {std::string(creator::kPluginListPath), creator::plugins_svc_ini(plugins), false});
    const base::UniqueFd changes = memory_file(archive::zip_in_memory(files));
    host::ProcessOutcome outcome =
        host::run_unpack_program(host_files_.unpack, command(changes.get()), view(plugins));
    duration_ += outcome.duration;
    if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
    if (const auto problem = unavailable(outcome)) throw Unavailable(*problem);
    Attempt attempt{read_console(outcome.output), ""};
    if (!attempt.console.is_complete) attempt.end = base::printable(end_of(outcome, limits_));
    return attempt;
  }

  std::string steam_library() const try {
    return base::read_file(host_files_.steam);
  } catch (const base::FileError& failure) {
    throw Unavailable(std::string(failure.what()) +
                      " (the build makes it where its compiler makes 32-bit libraries)");
  }

  host::Command command(int changes) const {
    host::Command command;
    command.arguments = {"--start", kFolder, "--input", kInput};
    const auto add = [&](std::string name, std::string value) {
      command.arguments.push_back(std::move(name));
      command.arguments.push_back(std::move(value));
    };
    for (const int zip : {stand_ins_.get(), server_.zip, changes}) {
      add(zip == server_.zip ? "--server" : "--zip", std::to_string(zip));
      command.kept_descriptors.push_back(zip);
    }
    for (const char* glob : kLeftOut) add("--leave-out", glob);
    if (!config_.game_folder.empty()) add("--game", kGame);
    if (is_emulated()) {
      add("--environment", "TMPDIR=" + std::string(kFolder));
    } else {
      add("--environment", "LD_LIBRARY_PATH=.");
      add("--environment", "LD_AUDIT=./libsteam_api.so");  // app/start/steam_api.c
    }
    command.arguments.emplace_back("--");
    if (is_emulated()) {
      add(kEmulator, "-R");
      add(std::to_string(kEmulatedBytes), "-E");
      command.arguments.emplace_back("LD_LIBRARY_PATH=.");
    }
    for (const char* word :
         {"./hlds_linux", "-game", "cstrike", "-console", "-nobreakpad", "-insecure", "-norestart",
          "-port", "27015", "-maxplayers", "4", "+ip", "127.0.0.1", "+sv_lan", "1"}) {
      command.arguments.emplace_back(word);
    }
    // The sandbox alone sees what is mounted over it.
    command.memory_folder = {"/tmp", limits_.folder_bytes, limits_.folder_files, true};
    command.limits.wall_clock = limits_.wall_clock;
    command.limits.output_bytes = limits_.output_bytes;
    command.limits.cpu_seconds = limits_.cpu_seconds;
    command.limits.address_space_bytes =
        limits_.memory_bytes + (is_emulated() ? kEmulatedBytes : 0);
    command.limits.file_size_bytes = limits_.folder_bytes;
    command.limits.open_files = kOpenFiles;
    command.limits.processes = kProcesses;
    return command;
  }

  host::View view(const Names& plugins) const {
    host::View view;
    view.profile = is_emulated() ? host::Profile::emulator : host::Profile::engine;
    view.bindings = host::libraries_of_32_bit_programs();
    view.bindings.push_back({.source = "/tmp", .target = kFolder, .writable = true});
    // Libraries draw random numbers from it, and end the engine where they can't.
    view.bindings.push_back({.source = "/dev/urandom", .target = "/dev/urandom", .device = true});
    if (is_emulated()) view.bindings.push_back({config_.emulator, kEmulator});
    if (!config_.game_folder.empty()) view.bindings.push_back({config_.game_folder, kGame});
    // Metamod looks in /proc for where libraries are loaded, which app/start/steam_api.c tells it.
    // A real one can't be had in containers and in the units of services, but an emulator needs it.
    view.has_proc = is_emulated();
    if (!is_emulated()) {
      view.bindings.push_back({.source = "/tmp", .target = "/proc", .writable = true});
    }
    // Of several plugins nobody knows whose it was.
    view.names_refused_call = plugins.size() <= 1;
    return view;
  }

  // Why it is not the server that ended; std::nullopt if it is.
  std::optional<std::string> unavailable(const host::ProcessOutcome& outcome) const {
    constexpr std::string_view kUnpack = "goldsmith-unpack: ";
    if (host::signal_of(outcome) == 0) {
      if (auto failure = host::sandbox_failure(outcome)) return failure;
    }
    if (outcome.end == ProcessEnd::not_started) return outcome.reason;
    const std::string_view output = outcome.output;
    std::string line(output.substr(0, output.find('\n')));
    if (line.find("error while loading shared libraries") != std::string::npos ||
        line.find("Could not open '/lib/ld-linux.so.2'") != std::string::npos) {
      return line + kLibraries;
    }
    if (!line.starts_with(kUnpack)) return std::nullopt;
    if (line.find("hlds_linux: execute: Exec format error") != std::string::npos) {
      return line +
             " (this kernel runs no 32-bit programs: apt-get install qemu-user, and set "
             "start.emulator = /usr/bin/qemu-i386)";
    }
    if (line.find("hlds_linux: execute: No such file") != std::string::npos) {
      return line + " (it is not in the build, or needs the 32-bit loader" + kLibraries + ")";
    }
    return line;
  }

  bool is_emulated() const { return !config_.emulator.empty(); }

  static constexpr std::uint64_t kOpenFiles = 256;
  // Counted for the whole user, with threads.
  static constexpr std::uint64_t kProcesses = 1024;
  static constexpr const char* kLibraries = " (apt-get install libc6-i386 lib32stdc++6)";

  const Server& server_;
  const base::StartConfig& config_;
  const HostFiles& host_files_;
  const StartLimits& limits_;
  base::UniqueFd stand_ins_;
  std::map<Names, Attempt> attempts_;
  int starts_ = 0;
  std::chrono::microseconds duration_{0};
};

// Each plugin that ends the engine, with the attempt that shows it.
struct Culprit {
  std::string file;
  Attempt attempt;
};

// The first of `plugins` with which the engine ends when those before it are there, too; `last` is
// what happened with all. std::nullopt if it ends without any, or there is no start left.
std::optional<Culprit> find_culprit(const Names& plugins, Attempt last, Starter& starter) {
  if (!starter.may_start() || !starter.start({}).end.empty()) return std::nullopt;
  std::size_t good = 0;  // how many the engine runs with
  std::size_t bad = plugins.size();
  while (bad - good > 1) {
    if (!starter.may_start()) return std::nullopt;
    const std::size_t middle = (good + bad) / 2;
    const auto end = plugins.begin() + static_cast<std::ptrdiff_t>(middle);
    const Attempt& attempt = starter.start({plugins.begin(), end});
    if (attempt.end.empty()) {
      good = middle;
    } else {
      bad = middle;
      last = attempt;
    }
  }
  return Culprit{plugins[bad - 1], std::move(last)};
}

// The plugins as the console lists them, and which of them were added. The server's own are listed
// before those, so that of two names that are cut to one the later is the added one.
std::vector<LoadedPlugin> listed_plugins(const Console& console,
                                         const std::vector<AddedPlugin>& added) {
  std::vector<LoadedPlugin> plugins;
  for (const Listed& each : console.plugins) {
    plugins.push_back({"", each.file, each.name, each.version, each.state});
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

// The plugin that a problem is about; null if that is not said, or it is not there. `plugins`:
// those of listed_plugins() first.
LoadedPlugin* plugin_of(const Problem& problem, const Console& console,
                        std::vector<LoadedPlugin>& plugins) {
  // A list that was printed once more may have fewer rows.
  if (problem.row) {
    return *problem.row < console.plugins.size() ? &plugins[*problem.row] : nullptr;
  }
  if (problem.plugin.empty()) return nullptr;
  const auto whole = std::ranges::find(plugins, problem.plugin, &LoadedPlugin::file);
  if (whole != plugins.end()) return &*whole;
  for (std::size_t i = 0; i < console.plugins.size(); ++i) {
    if (plugins[i].slug.empty() && console.plugins[i].may_be(problem.plugin)) return &plugins[i];
  }
  return nullptr;
}

Report report_of(const Attempt& last, const std::vector<Culprit>& culprits,
                 const std::vector<AddedPlugin>& added) {
  const Console& console = last.console;
  Report report;
  report.engine = console.engine;
  report.game = console.game;
  report.metamod = console.metamod;
  report.modules = console.modules;
  report.plugins = listed_plugins(console, added);
  for (const AddedPlugin& each : added) {
    const bool is_listed =
        std::any_of(report.plugins.begin(), report.plugins.end(),
                    [&](const LoadedPlugin& plugin) { return plugin.slug == each.slug; });
    if (is_listed) continue;
    LoadedPlugin plugin{each.slug, each.file, "", "", "missing"};
    for (const Culprit& culprit : culprits) {
      if (culprit.file != each.file) continue;
      plugin.state = "left out";
      for (const Problem& problem : culprit.attempt.console.problems) {
        if (problem.weight == Problem::Weight::fatal) plugin.errors.push_back(problem.text);
      }
      plugin.errors.push_back(culprit.attempt.end);
    }
    report.plugins.push_back(std::move(plugin));
  }
  if (!last.end.empty()) report.messages.push_back(last.end);
  using enum Problem::Weight;
  for (const Problem::Weight weight : {fatal, error, warning}) {
    for (const Problem& problem : console.problems) {
      if (problem.weight != weight) continue;
      LoadedPlugin* plugin =
          weight == warning ? nullptr : plugin_of(problem, console, report.plugins);
      (plugin ? plugin->errors : report.messages).push_back(problem.text);
    }
  }
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

Report start_server(const Server& server, const base::StartConfig& config,
                    const HostFiles& host_files, const StartLimits& limits) {
  Starter starter(server, config, host_files, limits);
  Names plugins;
  for (const AddedPlugin& each : server.added) plugins.push_back(each.file);
  std::vector<Culprit> culprits;
  Attempt attempt = starter.start(plugins);
  while (!attempt.end.empty() && !plugins.empty()) {
    auto culprit = find_culprit(plugins, attempt, starter);
    if (!culprit) break;
    std::erase(plugins, culprit->file);
    culprits.push_back(*std::move(culprit));
    if (!starter.may_start()) break;
    attempt = starter.start(plugins);
  }
  Report report = report_of(attempt, culprits, server.added);
  report.outcome = starter.ran_without_any() || attempt.end.empty() ? Report::Outcome::faulty
                                                                    : Report::Outcome::failed;
  if (report.outcome == Report::Outcome::faulty && all_runs(report)) {
    report.outcome = Report::Outcome::started;
  }
  report.starts = starter.starts();
  report.duration = std::chrono::duration_cast<std::chrono::milliseconds>(starter.duration());
  return report;
}

}  // namespace goldsmith::start
