#include "app/start/engine.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/base/frame.hpp"
#include "app/base/glob.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/host/waiting_time.hpp"
#include "app/start/stand_ins.hpp"

namespace goldsmith::start {
namespace {

namespace fs = std::filesystem;
using host::ProcessEnd;

// In the sandbox.
constexpr const char* kFolder = "/server";
constexpr const char* kGame = "/game";
constexpr const char* kEmulator = "/emulator";

constexpr const char* kLoader = "/lib/ld-linux.so.2";
// What the engine and the game library load of the host's, and the packages that have it.
constexpr const char* kLibraries[] = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"};
constexpr const char* kPackages = " (apt-get install libc6-i386 lib32stdc++6)";

// What a server shows or plays to clients alone, and maps, which may be large.
constexpr const char* kLeftOut[] = {"*.bsp", "*.nav", "*.wav", "*.mp3", "*.tga", "*.bmp"};
constexpr std::uint64_t kLargestFile = 64U << 20;  // larger ones are not needed

// What there is room for in the server's folder beside what is in the archives: what the engine and
// plugins write, and the names in the game's folder.
constexpr std::uint64_t kRoomBytes = 256U << 20;
constexpr std::uint64_t kRoomFiles = 10'000;
constexpr std::uint64_t kGameFiles = 100'000;

// An emulator gives the program less than all 32-bit addresses, and has tables and code of its own.
constexpr std::uint64_t kEmulatedBytes = 1ULL << 30;

// What is played when a server may end at the wish of who plays.
constexpr const char* kMayQuit = "admin";

constexpr const char* kPluginFolder = "cstrike/addons/amxmodx/plugins/";

constexpr std::uint64_t kOpenFiles = 256;
constexpr std::uint64_t kProcesses = 1024;  // counted for the whole user, with threads

base::UniqueFd memory_file(const std::string& content) {
  const base::UniqueFd file(::memfd_create("server", MFD_CLOEXEC));
  if (!file) throw base::FileError("memory", "memfd_create", errno);
  base::write_all(file.get(), content, "memory");
  return base::above_standard(file);
}

struct Ends {
  base::UniqueFd ours;
  base::UniqueFd theirs;
};

// What the console is told, which can be read once, by the engine: nothing in the sandbox has a
// name for a pipe, and no module takes it for a socket. It fits into one.
base::UniqueFd input_of(const std::string& commands) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw base::FileError("console", "pipe", errno);
  const base::UniqueFd reading(ends[0]);
  const base::UniqueFd writing(ends[1]);
  base::write_all(writing.get(), commands, "console");
  return base::above_standard(reading);
}

// For what goldsmith-unpack says; a socket, which nobody can open by a name in /proc.
Ends status_sockets() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw base::FileError("status", "socketpair", errno);
  }
  const base::UniqueFd ours(ends[0]);
  const base::UniqueFd theirs(ends[1]);
  return {base::above_standard(ours), base::above_standard(theirs)};
}

// See app/unpack/server_start.hpp.
struct Status {
  bool has_begun = false;
  bool is_laid_out = false;
  std::string fault;  // "" = the engine was executed
  std::string reason;
};

// All of it is there: whoever could write it has ended.
Status read_status(int socket) {
  constexpr base::FrameLimits kLimits{2, 64U << 10};
  Status status;
  while (const auto frame = base::receive_frame(socket, kLimits)) {
    if (frame->size() != 2) break;
    if ((*frame)[0] == "begun") {
      status.has_begun = true;
    } else if ((*frame)[0] == "laid out") {
      status.is_laid_out = true;
    } else {
      status.fault = (*frame)[0];
      status.reason = base::printable((*frame)[1]);
    }
  }
  return status;
}

// Its lines, which then tell where an error happened.
std::string in_debug_mode(const std::string& list) {
  std::string text;
  for (const std::string_view line : base::split(list, '\n')) {
    if (!line.empty() && line.front() != ';') text.append(line).append(" debug\n");
  }
  return text;
}

std::string first_line(const std::string& output) {
  return base::printable(output.substr(0, output.find('\n')));
}

// Those of kLibraries that this host does not have for 32-bit programs.
std::vector<std::string> missing_libraries() {
  std::vector<std::string> missing;
  const std::vector<host::Binding> folders = host::libraries_of_32_bit_programs();
  for (const char* library : kLibraries) {
    std::error_code ignored;
    if (std::ranges::none_of(folders, [&](const host::Binding& folder) {
          return fs::exists(folder.source / library, ignored);
        })) {
      missing.emplace_back(library);
    }
  }
  return missing;
}

// Why the host can't have a server executed; "" if it is not the host's fault. `status`: with a
// fault.
std::string fault_of_host(const Status& status) {
  if (status.fault == "no loader") return status.reason + kPackages;
  if (status.fault == "foreign") {
    return status.reason +
           " (this kernel runs no 32-bit programs: apt-get install qemu-user, and set "
           "start.emulator = /usr/bin/qemu-i386)";
  }
  return status.fault == "host" ? status.reason : "";
}

// "": the sandbox lacks none of what the configuration names.
std::string way_out(const std::string& failure, const base::StartConfig& config) {
  for (const auto& [option, path] :
       {std::pair{"start.emulator", config.emulator}, {"start.game_folder", config.game_folder}}) {
    if (path.empty() || failure.find("source path " + path.native() + ":") == std::string::npos) {
      continue;
    }
    return fmt::format(" ({}: it must be there, and the folders that it is in open to everybody)",
                       option);
  }
  return "";
}

// Why goldsmith-unpack did not come to work.
std::string fault_of_sandbox(const host::ProcessOutcome& outcome, const base::StartConfig& config) {
  if (auto failure = host::sandbox_failure(outcome)) return *failure + way_out(*failure, config);
  if (!outcome.reason.empty()) return outcome.reason;
  const std::string line = first_line(outcome.output);
  return "goldsmith-unpack: " + (line.empty() ? "it does not start" : line);
}

}  // namespace

Engine::Engine(const Server& server, const base::StartConfig& config, const HostFiles& host_files,
               const StartLimits& limits)
    : server_(server), config_(config), host_files_(host_files), limits_(limits) {
  std::vector<archive::MemoryFile> files =
      stand_ins(config.game_folder.empty() ? "cstrike" : "valve");
  files.push_back({"libsteam_api.so", steam_library(), true});
  stand_ins_ = memory_file(archive::zip_in_memory(files));
}

EngineRun Engine::run(const Names& plugins) {
  ++runs_;
  std::vector<archive::MemoryFile> files = server_.files;
  std::string list = creator::plugins_svc_ini(plugins);
  if (plays()) {
    // Which has a price.
    if (server_.play != Questions::Play::costs) list = in_debug_mode(list);
    list += kPlayer + std::string("\n");
    files.push_back({kPluginFolder + std::string(kPlayer), server_.player});
  }
  files.push_back({std::string(creator::kPluginListPath), std::move(list)});
  const base::UniqueFd changes = memory_file(archive::zip_in_memory(files));
  const Questions questions(plays() ? server_.play : Questions::Play::nothing, plugins.size());
  const base::UniqueFd input = input_of(questions.commands(kMap));
  Ends sockets = status_sockets();
  const std::optional<std::uint64_t> kills = host::kills_for_memory();
  const host::ProcessOutcome outcome = host::run_unpack_program(
      host_files_.unpack,
      command({changes.get(), input.get(), sockets.theirs.get()}, folder_for(changes)),
      view(plugins));
  sockets.theirs.reset();
  duration_ += outcome.duration;
  processor_time_ += outcome.processor_time;
  if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
  const Status status = read_status(sockets.ours.get());
  if (!status.has_begun) {
    // A host that is busy, or short of memory, may start the next one.
    const bool is_of_the_moment =
        outcome.end == ProcessEnd::wall_clock || host::signal_of(outcome) == SIGKILL;
    if (is_of_the_moment) throw NotTried("the sandbox did not come to work in time");
    throw Unavailable(fault_of_sandbox(outcome, config_));
  }
  if (const std::string fault = fault_of_host(status); !fault.empty()) throw Unavailable(fault);
  if (status.fault == "unreadable") throw NotTried("the archive can't be read: " + status.reason);
  if (!status.fault.empty()) {
    const char* const what =
        status.is_laid_out ? "the engine can't be executed: " : "the server can't be laid out: ";
    return {{}, what + status.reason, false};
  }
  EngineRun run{read_console(outcome.output, questions), "", status.is_laid_out};
  const Console& console = run.console;
  const bool has_quit = outcome.end == ProcessEnd::exited && outcome.code == 0;
  if (!console.is_complete || (!console.is_played && plays() && !has_quit)) {
    run.end = base::printable(end_of(outcome, kills));
    // What slept until its time was over may have waited for somebody on the network.
    run.is_of_sandbox = run.end.starts_with(host::kRefusedCall) ||
                        (outcome.end == ProcessEnd::wall_clock &&
                         outcome.processor_time < std::chrono::seconds(limits_.cpu_seconds) / 2);
  } else if (!console.is_played && plays() && console.event != kMayQuit) {
    run.end = "the players do not come to the end";
  }
  // Where it is only measured, everybody plays the same all the time.
  const bool has_events = server_.play == Questions::Play::life && !console.event.empty();
  if (!run.end.empty() && has_events) run.end = console.event + ": " + run.end;
  return run;
}

std::string Engine::steam_library() const try {
  return base::read_file(host_files_.steam);
} catch (const base::FileError& failure) {
  throw Unavailable(std::string(failure.what()) +
                    " (the build makes it where its compiler makes 32-bit libraries)");
}

// As large as what is in the archives, which the layer is for, and what is written beside it.
host::MemoryFolder Engine::folder_for(const base::UniqueFd& changes) const try {
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t bytes = 0;
  std::set<std::string> names;  // with their folders
  for (const int zip : {stand_ins_.get(), server_.zip, changes.get()}) {
    const archive::ZipReader reader(base::UniqueFd(::fcntl(zip, F_DUPFD_CLOEXEC, 3)), "the server");
    for (const archive::ZipEntry& entry : reader.entries()) {
      const std::string path = base::to_lower_ascii(entry.path);
      const bool is_left_out =
          zip == server_.zip && std::ranges::any_of(kLeftOut, [&](const char* glob) {
            return base::matches_glob(glob, path);
          });
      if (is_left_out || entry.size > kLargestFile) continue;
      bytes += (entry.size + kPage - 1) / kPage * kPage;
      for (std::size_t end = entry.path.size();
           end != std::string::npos && names.size() < limits_.most_files &&
           names.insert(entry.path.substr(0, end)).second && end > 0;) {
        end = entry.path.rfind('/', end - 1);
      }
    }
  }
  const std::uint64_t game = config_.game_folder.empty() ? 0 : kGameFiles;
  return {folder_.path(), std::min(bytes, limits_.most_bytes) + kRoomBytes,
          std::min<std::uint64_t>(names.size(), limits_.most_files) + kRoomFiles + game, true};
} catch (const archive::ZipError& damaged) {
  throw NotTried(damaged.what());
}

host::Command Engine::command(const Descriptors& descriptors,
                              const host::MemoryFolder& folder) const {
  host::Command command;
  command.arguments = {"--start", kFolder};
  const auto add = [&](std::string name, std::string value) {
    command.arguments.push_back(std::move(name));
    command.arguments.push_back(std::move(value));
  };
  const auto give = [&](std::string name, int descriptor) {
    add(std::move(name), std::to_string(descriptor));
    command.kept_descriptors.push_back(descriptor);
  };
  give("--status", descriptors.status);
  give("--input", descriptors.input);
  give("--zip", stand_ins_.get());
  give("--server", server_.zip);
  give("--zip", descriptors.changes);
  add("--largest", std::to_string(kLargestFile));
  for (const char* glob : kLeftOut) add("--leave-out", glob);
  add("--loader", kLoader);
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
  for (const char* word : {"./hlds_linux", "-game", "cstrike", "-console", "-nobreakpad",
                           "-insecure", "-norestart", "-port", "27015", "-maxplayers",
                           plays() ? "32" : "4", "+ip", "127.0.0.1", "+sv_lan", "1"}) {
    command.arguments.emplace_back(word);
  }
  // The sandbox alone sees what is mounted over it. A folder of its own hides nothing else.
  command.memory_folder = folder;
  command.limits.wall_clock = limits_.wall_clock;
  command.limits.output_bytes = limits_.output_bytes;
  command.limits.cpu_seconds = limits_.cpu_seconds;
  command.limits.address_space_bytes = limits_.memory_bytes + (is_emulated() ? kEmulatedBytes : 0);
  command.limits.file_size_bytes = folder.bytes;
  command.limits.open_files = kOpenFiles;
  command.limits.processes = kProcesses;
  return command;
}

host::View Engine::view(const Names& plugins) const {
  host::View view;
  view.profile = is_emulated() ? host::Profile::emulator : host::Profile::engine;
  view.bindings = host::libraries_of_32_bit_programs();
  view.bindings.push_back({.source = folder_.path(), .target = kFolder, .writable = true});
  // Libraries draw random numbers from it, and end the engine where they can't.
  view.bindings.push_back({.source = "/dev/urandom", .target = "/dev/urandom", .device = true});
  if (is_emulated()) view.bindings.push_back({config_.emulator, kEmulator});
  if (!config_.game_folder.empty()) view.bindings.push_back({config_.game_folder, kGame});
  // Metamod looks in /proc for where libraries are loaded, which app/start/steam_api.c tells it.
  // A real one can't be had in containers and in the units of services, but an emulator needs it.
  view.has_proc = is_emulated();
  if (!is_emulated()) {
    view.bindings.push_back({.source = folder_.path(), .target = "/proc", .writable = true});
  }
  // Of several plugins nobody knows whose it was.
  view.names_refused_call = plugins.size() <= 1;
  return view;
}

std::string Engine::end_of(const host::ProcessOutcome& outcome,
                           std::optional<std::uint64_t> kills) const {
  if (host::used_up_processor_time(outcome, limits_.cpu_seconds)) {
    return fmt::format("it takes more than {} s of processor time", limits_.cpu_seconds);
  }
  using std::chrono::seconds;
  switch (outcome.end) {
    case ProcessEnd::wall_clock: {
      // The processor may have been busy with others. A server that had as long as it may compute,
      // and did something else meanwhile, is not slow for their sake.
      const auto in_seconds = [](std::chrono::microseconds time) {
        return std::chrono::duration_cast<seconds>(time).count();
      };
      std::string text =
          fmt::format("it takes more than {} s, {} of them processor time",
                      limits_.wall_clock.count(), in_seconds(outcome.processor_time));
      const auto& waited = outcome.waiting_time;
      if (waited) text += fmt::format(", {} waiting for a processor", in_seconds(*waited));
      const seconds most(limits_.cpu_seconds);
      const bool had_time =
          waited ? limits_.wall_clock - *waited >= most : outcome.processor_time >= most / 2;
      if (!had_time) throw NotTried(text);
      return text;
    }
    case ProcessEnd::output_limit:
      return "it prints more than " + base::binary_size(limits_.output_bytes);
    default:
      break;
  }
  if (!outcome.reason.empty()) return outcome.reason;
  const int number = host::signal_of(outcome);
  // Nothing in the sandbox can send it, but an engine can end by the exit code that stands for it.
  if (number == SIGKILL && (!kills || host::kills_for_memory() != kills)) {
    throw NotTried("the engine was killed: was the host short of memory?");
  }
  if (number != 0) {
    return "the engine ended by " + host::signal_name(number);
  }
  // The loader's exit code. What the host has, it finds; the rest is to come with the server.
  constexpr int kNotLoaded = 127;
  const std::string line = first_line(outcome.output);
  if (outcome.code == kNotLoaded || is_emulated()) {
    if (const auto missing = missing_libraries(); !missing.empty()) {
      throw Unavailable("32-bit programs need " + base::join(missing, ", ") + ": " + line +
                        kPackages);
    }
  }
  if (outcome.code == kNotLoaded && !line.empty()) return "the engine was not loaded: " + line;
  return fmt::format("the engine ended with the exit code {}", outcome.code);
}

}  // namespace goldsmith::start
