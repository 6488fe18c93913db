#include "app/compile/compiler.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "app/compile/diagnostics.hpp"
#include "app/compile/job.hpp"
#include "app/compile/judgement.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/sys/account.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::compile {
namespace fs = std::filesystem;

namespace {

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

// The loader and libraries of 32-bit programs, where libc6-i386 and libc6:i386 of Debian put them.
// All of /lib would show the host's unit files and release to a source's #include.
constexpr const char* kLibraries[] = {"/lib/ld-linux.so.2", "/lib32", "/usr/lib32",
                                      "/lib/i386-linux-gnu", "/usr/lib/i386-linux-gnu"};

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

sandbox::View view_of(const Toolchain& toolchain, const Job& job, const Places& places) {
  sandbox::View view;
  view.abi = sandbox::Abi::native_and_32_bit;  // the official compilers are 32-bit programs
  for (const char* library : kLibraries) {
    view.bindings.push_back({.source = library, .target = library, .optional = true});
  }
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

sys::Command command_of(const Places& places, const std::string& source,
                        const sys::CompileConfig& config) {
  sys::Command command;
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

std::vector<ShownPath> shown_paths(const Places& places, const std::string& source,
                                   const std::string& shown_source) {
  std::vector<ShownPath> paths{{places.job + "/" + source, shown_source},
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

sys::ProcessOutcome run_in_sandbox(sys::Command command, const Toolchain& toolchain, const Job& job,
                                   const Places& places) {
  command.memory_folder = {job.folder() / "work", 2 * command.limits.file_size_bytes, kFiles};
  return sandbox::run_in_sandbox(command, view_of(toolchain, job, places));
}

Compilation unavailable(std::string cause) {
  Compilation compilation;
  compilation.cause = std::move(cause);
  return compilation;
}

Compilation judge(const Job& job, const sys::ProcessOutcome& outcome,
                  const std::vector<ShownPath>& paths, const sys::CompileConfig& config) {
  Compilation compilation;
  const std::string diagnostics = job.output(kDiagnostics, config.binary_bytes);
  const bool errors = has_error(diagnostics) || has_error(outcome.output);
  if (has_error(diagnostics, kCantWrite) || has_error(outcome.output, kCantWrite)) {
    return unavailable("the compiler can't write to its scratch folder");
  }
  Stop stop = stop_of(outcome, diagnostics, config);
  compilation.limit_hit = stop.by_limit;
  compilation.names_error = errors;
  const bool accepted = stop.sentence.empty() && outcome.code == 0 && !errors;
  if (accepted) compilation.binary = job.output(kBinary, config.binary_bytes);
  if (is_complete_amxx(compilation.binary)) {
    compilation.result = Result::compiled;
  } else {
    compilation.result = Result::failed;
    compilation.binary.clear();
    compilation.missing_include = missing_include(diagnostics);
    const bool unexplained = stop.sentence.empty() && !has_error(diagnostics);
    if (unexplained) stop.sentence = "The compiler reported no error, but made no valid plugin.";
  }
  compilation.output = readable(diagnostics, paths, stop.sentence);
  return compilation;
}

// A full disk could not have changed it.
bool is_settled(const Compilation& compilation) {
  return compilation.is_verdict() || compilation.result == Result::unavailable;
}

// For what the compiler reads, for its diagnostics, its image and the plugin made of that, and as
// much again, so that the disk does not look full when all of this is there.
std::uint64_t room_for(const domain::PluginVersion& version, const Toolchain& toolchain,
                       const sys::CompileConfig& config) {
  std::uint64_t sources = 0;
  for (const ExtraInclude& include : toolchain.more) sources += include.content.size();
  for (const domain::PluginFile& file : version.files) sources += file.content.size();
  return 2 * sources + 4 * config.binary_bytes;
}

// Throws sys::FileError where less is free, for this process, on the folder's disk.
void check_room(const fs::path& folder, std::uint64_t bytes) {
  const std::uint64_t available = sys::available_bytes(folder);
  if (available >= bytes) return;
  throw sys::FileError(folder,
                       "compile with " + std::to_string(available >> 20) + " MiB free of the " +
                           std::to_string((bytes >> 20) + 1) + " MiB that it may take",
                       ENOSPC);
}

std::string first_line(const std::string& output) {
  constexpr std::size_t kLongest = 200;
  return output.substr(0, std::min(kLongest, output.find_first_of("\r\n")));
}

}  // namespace

Compiler::Compiler(sys::CompileConfig config, fs::path scratch, std::optional<sys::Account> account)
    : config_(config), scratch_(std::move(scratch)), account_(account) {}

Compiler command_compiler(const sys::CompileConfig& config) {
  const auto account = sys::unprivileged_account(sys::kBuildAccount);
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
  const Toolchain toolchain = account_ ? job.give_to(*account_, chosen) : chosen;
  const Places places = places_of(toolchain, job, config_.sandbox);
  sys::CompileConfig config = config_;
  if (pace.priority == Priority::patient) config.wall_clock *= kPatience;
  config.wall_clock = std::min(config.wall_clock, pace.longest);
  sys::Command command = command_of(places, job.source(), config);
  command.account = account_;
  command.niceness = pace.priority == Priority::background ? kBackground : 0;
  const sys::ProcessOutcome outcome =
      config_.sandbox ? run_in_sandbox(command, toolchain, job, places) : sys::run_process(command);
  const auto broken = broken_compiler(outcome, config);
  Compilation compilation =
      broken ? unavailable(*broken)
             : judge(job, outcome, shown_paths(places, job.source(), entry->filename), config_);
  // What ended without saying why may have found the disk full.
  if (!broken && !is_settled(compilation)) check_room(scratch_, config_.binary_bytes);
  if (!broken) compilation.banner = first_line(outcome.output);
  compilation.timed_out = outcome.end == sys::ProcessEnd::wall_clock;
  compilation.duration = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.duration);
  compilation.processor_time =
      std::chrono::duration_cast<std::chrono::milliseconds>(outcome.processor_time);
  return compilation;
} catch (const sys::FileError& error) {
  return unavailable(error.what());
} catch (const fs::filesystem_error& error) {
  return unavailable(error.what());
}

}  // namespace goldsmith::compile
