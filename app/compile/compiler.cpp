#include "app/compile/compiler.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/compile/job.hpp"
#include "app/host/account.hpp"
#include "app/host/sandbox.hpp"
#include "app/pawn/amxx_file.hpp"
#include "app/pawn/diagnostics.hpp"

namespace goldsmith::compile {
namespace {

namespace fs = std::filesystem;

// How a compiler ended that did not end by itself (decision P6). No compiler line reports success
// by its exit code alone.
struct Ending {
  std::string sentence;   // which limit or signal; "" if it ended by itself
  bool by_limit = false;  // or by what may have been one: another run may pass
};

constexpr std::string_view kNoMemory = "insufficient memory";  // a fatal error's message

std::string seconds(std::chrono::milliseconds time) {
  const auto whole = time.count() / 1000;
  const auto rest = time.count() % 1000;
  return rest == 0 ? fmt::format("{} s", whole) : fmt::format("{}.{:03} s", whole, rest);
}

Ending ended_by_signal(int number, const host::ProcessOutcome& outcome,
                       const base::CompileConfig& limits, bool has_errors) {
  if (host::used_up_processor_time(outcome, limits.cpu_seconds)) {
    return {"The compiler was stopped: it used more than " +
                seconds(std::chrono::seconds(limits.cpu_seconds)) + " of processor time.",
            true};
  }
  if (number == SIGXFSZ) {
    return {"The compiler was stopped: its output is larger than " +
                base::binary_size(limits.binary_bytes) + ".",
            true};
  }
  const std::string crashed = "The compiler crashed (" + host::signal_name(number) + ")";
  // The official compilers abort after many a fatal error, such as an include that is not there,
  // and divide by zero where a source does.
  if (has_errors || number == SIGFPE) return {crashed + ".", false};
  return {crashed + ", as it does when it needs more than " +
              base::binary_size(limits.memory_bytes) + " of memory.",
          true};
}

// What the operator can do about a compiler that did not start; "" if unknown.
std::string_view way_out(const std::string& reason) {
  if (reason.find("execvp") == std::string::npos) return "";
  // The kernel reports a missing loader as a missing program.
  if (reason.find("No such file") != std::string::npos) {
    return " (the official compilers need the 32-bit C library: apt-get install libc6-i386)";
  }
  return " (it is not a program for this machine: goldsmith-install-toolchain installs it again)";
}

std::string too_slow(const host::ProcessOutcome& outcome, const base::CompileConfig& limits) {
  return "the compiler did not end within " + seconds(limits.wall_clock) + ", of which it used " +
         seconds(std::chrono::duration_cast<std::chrono::milliseconds>(outcome.processor_time)) +
         " of processor time (the host is overloaded, or an include makes the compiler wait)";
}

// A compiler never sends these to itself.
bool is_killed_from_outside(const host::ProcessOutcome& outcome,
                            const base::CompileConfig& limits) {
  const int number = host::signal_of(outcome);
  if (number == SIGKILL) return !host::used_up_processor_time(outcome, limits.cpu_seconds);
  return number == SIGTERM || number == SIGINT || number == SIGHUP;
}

// `diagnostics`: what it had reported before that. After errors a crash needs no guess.
Ending stop_of(const host::ProcessOutcome& outcome, std::string_view diagnostics,
               const base::CompileConfig& limits) {
  if (outcome.end == host::ProcessEnd::output_limit) {
    return {"The compiler was stopped: it wrote more than " +
                base::binary_size(limits.output_bytes) + " of messages.",
            true};
  }
  const int number = host::signal_of(outcome);
  if (number != 0) {
    const bool has_errors = pawn::has_error(diagnostics) || pawn::has_error(outcome.output);
    return ended_by_signal(number, outcome, limits, has_errors);
  }
  if (pawn::has_error(diagnostics, kNoMemory)) {
    return {"The compiler gave up: it needs more than " + base::binary_size(limits.memory_bytes) +
                " of memory.",
            true};
  }
  return {};
}

constexpr const char* kBinary = "plugin.amxx";
constexpr const char* kDiagnostics = "diagnostics.txt";
constexpr std::string_view kCantWrite = "cannot write to file";  // a fatal error's message
constexpr std::uint64_t kOpenFiles = 64;
// What a compiler may have created at a time (decision P13): it needs its folder, an image, the
// plugin and the diagnostics.
constexpr std::uint64_t kFiles = 16;
constexpr int kBackground = 10;  // a tenth of the share of those that are not nice
constexpr int kPatience = 4;
// Counted for the whole user where that is not root: a compiler needs one, the host's others too.
constexpr std::uint64_t kProcesses = 1024;

// Where the compiler finds things. In the sandbox the names are the same for every job, so that the
// binary, which carries its source's path, does not depend on the host.
struct Places {
  std::string toolchain;
  std::string job;
  std::string operator_includes;  // "" = none
  bool more = false;              // the job has extra includes
};

bool has_folder(const fs::path& path) {
  std::error_code error;
  return !path.empty() && fs::is_directory(path, error);
}

Places places_of(const Toolchain& toolchain, const Job& job, bool sandbox) {
  const bool operators = has_folder(toolchain.operator_includes);
  const bool more = !toolchain.more.empty();
  if (sandbox) return {"/tc", "/job", operators ? "/inc" : "", more};
  return {toolchain.folder.native(), job.folder().native(),
          operators ? toolchain.operator_includes.native() : "", more};
}

host::View view_of(const Toolchain& toolchain, const Job& job, const Places& places) {
  host::View view;
  view.profile = host::Profile::compiler;
  view.bindings = host::libraries_of_32_bit_programs();
  view.bindings.push_back({toolchain.folder, places.toolchain});
  view.bindings.push_back({job.folder(), places.job});
  // The image that the plugin is made of comes and goes in memory; what stays has its place.
  view.bindings.push_back({job.folder() / "work", places.job + "/out", true});
  for (const char* name : {kBinary, kDiagnostics}) {
    view.bindings.push_back({job.folder() / "out" / name, places.job + "/out/" + name, true});
  }
  if (!places.operator_includes.empty()) {
    view.bindings.push_back({toolchain.operator_includes, places.operator_includes});
  }
  return view;
}

host::Command command_of(const Places& places, const std::string& source,
                         const base::CompileConfig& config) {
  host::Command command;
  // The plugin's own includes come before the toolchain's, and extra ones last (decisions P4, P19).
  command.arguments = {places.toolchain + "/amxxpc",
                       places.job + "/" + source,
                       "-o" + places.job + "/out/" + kBinary,
                       "-e" + places.job + "/out/" + kDiagnostics,
                       "-i" + places.job + "/src",
                       "-i" + places.job + "/tree/include",
                       "-i" + places.job + "/tree",
                       "-i" + places.toolchain + "/include"};
  if (!places.operator_includes.empty()) {
    command.arguments.push_back("-i" + places.operator_includes);
  }
  if (places.more) command.arguments.push_back("-i" + places.job + "/more");
  // amxxpc executes the ./amxxpc32.so that it finds where it runs: never a plugin's folder.
  command.working_directory = places.toolchain;
  // Uninitialised memory ends up in the binary; with this it is always the same.
  command.environment = {"MALLOC_PERTURB_=255"};
  command.limits.wall_clock = config.wall_clock;
  command.limits.output_bytes = config.output_bytes;
  command.limits.cpu_seconds = config.cpu_seconds;
  command.limits.address_space_bytes = config.memory_bytes;
  command.limits.file_size_bytes = config.binary_bytes;
  command.limits.open_files = kOpenFiles;
  command.limits.processes = kProcesses;
  return command;
}

std::vector<pawn::ShownPath> shown_paths(const Places& places, const std::string& source,
                                         const std::string& shown_source) {
  std::vector<pawn::ShownPath> paths{{places.job + "/" + source, shown_source},
                                     {places.job + "/src/", ""},
                                     {places.job + "/tree/", ""},
                                     {places.job + "/more/", "include/"},
                                     {places.job + "/", ""},
                                     {places.toolchain + "/", ""}};
  if (!places.operator_includes.empty()) {
    paths.push_back({places.operator_includes + "/", "include/"});
  }
  return paths;
}

host::ProcessOutcome run_in_sandbox(host::Command command, const Toolchain& toolchain,
                                    const Job& job, const Places& places) {
  command.memory_folder = {job.folder() / "work", 2 * command.limits.file_size_bytes, kFiles};
  return host::run_in_sandbox(command, view_of(toolchain, job, places));
}

Compilation unavailable(std::string cause) {
  Compilation compilation;
  compilation.cause = std::move(cause);
  return compilation;
}

Compilation judge(const Job& job, const host::ProcessOutcome& outcome,
                  const std::vector<pawn::ShownPath>& paths, const base::CompileConfig& config) {
  Compilation compilation;
  const std::string diagnostics = job.output(kDiagnostics, config.binary_bytes);
  const bool errors = pawn::has_error(diagnostics) || pawn::has_error(outcome.output);
  if (pawn::has_error(diagnostics, kCantWrite) || pawn::has_error(outcome.output, kCantWrite)) {
    return unavailable("the compiler can't write to its scratch folder");
  }
  Ending stop = stop_of(outcome, diagnostics, config);
  compilation.limit_hit = stop.by_limit;
  compilation.names_error = errors;
  const bool accepted = stop.sentence.empty() && outcome.code == 0 && !errors;
  if (accepted) compilation.binary = job.output(kBinary, config.binary_bytes);
  if (pawn::is_complete_amxx(compilation.binary)) {
    compilation.result = Result::compiled;
  } else {
    compilation.result = Result::failed;
    compilation.binary.clear();
    compilation.missing_include = pawn::missing_include(diagnostics);
    const bool unexplained = stop.sentence.empty() && !pawn::has_error(diagnostics);
    if (unexplained) stop.sentence = "The compiler reported no error, but made no valid plugin.";
  }
  compilation.output = pawn::readable(diagnostics, paths, stop.sentence);
  return compilation;
}

// A full disk could not have changed it.
bool is_settled(const Compilation& compilation) {
  return compilation.is_verdict() || compilation.result == Result::unavailable;
}

// For what the compiler reads, for its diagnostics, its image and the plugin made of that, and as
// much again, so that the disk does not look full when all of this is there.
std::uint64_t room_for(const domain::PluginVersion& version, const Toolchain& toolchain,
                       const base::CompileConfig& config) {
  std::uint64_t sources = 0;
  for (const ExtraInclude& include : toolchain.more) sources += include.content.size();
  for (const domain::PluginFile& file : version.files) sources += file.content.size();
  return 2 * sources + 4 * config.binary_bytes;
}

// Throws base::FileError where less is free, for this process, on the folder's disk.
void check_room(const fs::path& folder, std::uint64_t bytes) {
  const std::uint64_t available = base::available_bytes(folder);
  if (available >= bytes) return;
  throw base::FileError(folder,
                        fmt::format("compile with {} MiB free of the {} MiB that it may take",
                                    available >> 20, (bytes >> 20) + 1),
                        ENOSPC);
}

std::string first_line(const std::string& output) {
  constexpr std::size_t kLongest = 200;
  return output.substr(0, std::min(kLongest, output.find_first_of("\r\n")));
}

}  // namespace

Compiler::Compiler(base::CompileConfig config, fs::path scratch,
                   std::optional<host::Account> account)
    : config_(config), scratch_(std::move(scratch)), account_(account) {
  if (account_) copies_ = std::make_shared<ToolchainCopies>(scratch_, *account_);
}

Compiler command_compiler(const base::CompileConfig& config) {
  const auto account = host::unprivileged_account(host::kBuildAccount);
  if (!account) return {config, fs::temp_directory_path()};
  // Not $TMPDIR, which may be root's alone.
  return {config, "/tmp", account->account};
}

Compilation Compiler::compile(const Toolchain& chosen, const domain::PluginVersion& version,
                              const Pace& pace) const try {
  const domain::PluginFile* entry = domain::entry_point(version);
  if (entry == nullptr) throw std::invalid_argument("no file to compile: " + version.version);
  check_room(scratch_, room_for(version, chosen, config_));
  Job job(scratch_, version, *entry);
  job.add(chosen.more);
  if (config_.sandbox) {
    for (const char* name : {kBinary, kDiagnostics}) job.create_output(name);
  }
  Toolchain toolchain = chosen;
  if (account_) {
    job.give_to(*account_);
    toolchain = copies_->copy_of(chosen);
  }
  const Places places = places_of(toolchain, job, config_.sandbox);
  base::CompileConfig config = config_;
  if (pace.priority == Priority::patient) config.wall_clock *= kPatience;
  config.wall_clock = std::min(config.wall_clock, pace.longest);
  host::Command command = command_of(places, job.source(), config);
  command.account = account_;
  command.niceness = pace.priority == Priority::background ? kBackground : 0;
  const host::ProcessOutcome outcome = config_.sandbox
                                           ? run_in_sandbox(command, toolchain, job, places)
                                           : host::run_process(command);
  const auto broken = broken_compiler(outcome, config);
  Compilation compilation =
      broken ? unavailable(*broken)
             : judge(job, outcome, shown_paths(places, job.source(), entry->filename), config_);
  // What ended without saying why may have found the disk full.
  if (!broken && !is_settled(compilation)) check_room(scratch_, config_.binary_bytes);
  if (!broken) compilation.banner = first_line(outcome.output);
  compilation.timed_out = outcome.end == host::ProcessEnd::wall_clock;
  compilation.duration = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.duration);
  compilation.processor_time =
      std::chrono::duration_cast<std::chrono::milliseconds>(outcome.processor_time);
  return compilation;
} catch (const base::FileError& error) {
  return unavailable(error.what());
} catch (const fs::filesystem_error& error) {
  return unavailable(error.what());
}

std::optional<std::string> broken_compiler(const host::ProcessOutcome& outcome,
                                           const base::CompileConfig& limits) {
  if (auto reason = host::sandbox_failure(outcome)) {
    reason->append(way_out(*reason));
    return reason;
  }
  if (outcome.end == host::ProcessEnd::not_started) return outcome.reason;
  if (outcome.end == host::ProcessEnd::wall_clock) return too_slow(outcome, limits);
  if (is_killed_from_outside(outcome, limits)) {
    return "the compiler was killed by a " + host::signal_name(host::signal_of(outcome)) +
           " from outside (by the kernel for want of memory, or by an operator)";
  }
  if (outcome.end != host::ProcessEnd::exited) return std::nullopt;
  const std::string_view output = outcome.output;
  const std::string first_line(output.substr(0, output.find('\n')));
  // amxxpc without its library, and the dynamic loader without one of the system's.
  const bool no_library = first_line.starts_with("compiler failed to instantiate");
  const bool no_loading =
      outcome.code == 127 &&
      first_line.find("error while loading shared libraries") != std::string::npos;
  if (no_library) return first_line + " (goldsmith-install-toolchain installs it again)";
  if (no_loading) return first_line + " (apt-get install libc6-i386, or the library that it names)";
  return std::nullopt;
}

}  // namespace goldsmith::compile
