#include "app/host/sandbox.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include "app/base/file.hpp"
#include "app/host/user_namespaces.hpp"

namespace goldsmith::host {
namespace {

constexpr const char* kBubblewrap = "/usr/bin/bwrap";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What the operator can do about it; "" if unknown.
std::string way_out(std::string_view reason) {
  // With AppArmor bubblewrap has the namespaces, and then no right in them.
  for (const char* step : {"namespace", "uid map", "clone", "loopback"}) {
    if (contains(reason, step)) return " (" + what_forbids_user_namespaces() + ")";
  }
  if (contains(reason, "seccomp") || contains(reason, "SECCOMP")) {
    return " (the kernel or the container must allow system call filters)";
  }
  // What a system call that a filter hides fails with: openat2, for one, from version 0.12 on.
  if (contains(reason, "Function not implemented")) {
    return " (RestrictSUIDSGID= of the service must be off, or the container must allow openat2)";
  }
  return "";
}

// Of a step that Command::memory_folder needs.
bool lacks_namespace(std::string_view reason) {
  constexpr std::array kSteps{"unshare: ", "mount: ", "/proc/self/"};
  constexpr std::array kErrors{EPERM, EACCES, ENOSPC};
  const auto begins = [&](const char* step) { return reason.starts_with(step); };
  const auto ends = [&](int error) {
    return reason.ends_with(std::generic_category().message(error));
  };
  return std::ranges::any_of(kSteps, begins) && std::ranges::any_of(kErrors, ends);
}

std::string option_of(const Binding& binding) {
  const std::string_view kind = binding.device     ? "--dev-bind"
                                : binding.writable ? "--bind"
                                                   : "--ro-bind";
  return std::string(kind) + (binding.optional ? "-try" : "");
}

void append(std::vector<std::string>& arguments, std::vector<std::string> more) {
  for (std::string& argument : more) arguments.push_back(std::move(argument));
}

ProcessOutcome run_with(const base::UniqueFd& low_filter, const Command& command,
                        const View& view) {
  const base::UniqueFd filter = base::above_standard(low_filter);
  // Capabilities: bubblewrap keeps those of root unless told to drop them.
  // No --new-session: run_process() makes one, and the program's niceness is that session's.
  std::vector<std::string> arguments{
      kBubblewrap,         "--unshare-all", "--cap-drop", "ALL",
      "--die-with-parent", "--clearenv",    "--seccomp",  std::to_string(filter.get())};
  for (const std::string& variable : command.environment) {
    const std::size_t equals = variable.find('=');
    append(arguments, {"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  for (const Binding& binding : view.bindings) {
    append(arguments, {option_of(binding), binding.source.native(), binding.target});
  }
  if (view.has_proc) append(arguments, {"--proc", "/proc"});
  if (view.program) {
    ::lseek(view.program->descriptor, 0, SEEK_SET);  // an earlier run has read it
    append(arguments, {"--perms", "0555", "--ro-bind-data",
                       std::to_string(view.program->descriptor), view.program->target});
  }
  // The root is a file system in memory; limits on file sizes would not bound it.
  append(arguments, {"--remount-ro", "/", "--chdir", command.working_directory.native(), "--"});
  append(arguments, command.arguments);

  Command sandboxed = command;
  sandboxed.arguments = std::move(arguments);
  sandboxed.working_directory = "/";
  sandboxed.environment.clear();
  sandboxed.kept_descriptors.push_back(filter.get());
  if (view.program) sandboxed.kept_descriptors.push_back(view.program->descriptor);
  // bubblewrap reports its program's end without waiting for the process that ran it.
  sandboxed.supervised = true;
  return run_process(sandboxed);
}

bool made_refused_call(const ProcessOutcome& outcome) { return signal_of(outcome) == SIGSYS; }

// The program's last call that is not on the list. Which number a signal was sent for is not in a
// process' end, so this narrows it down.
std::string find_refused_call(const Command& command, const View& view) {
  Command quick = command;
  quick.limits.wall_clock = std::min(command.limits.wall_clock, std::chrono::milliseconds(2000));
  const auto ends_at = [&](int first) {
    return made_refused_call(run_with(searching_filter(view.profile, first), quick, view));
  };
  if (!ends_at(0)) {
    return "one of " + calls_with_checked_arguments(view.profile) + ", with other arguments";
  }
  int ends = 0;
  int goes_on = kRefusableCalls;
  while (goes_on - ends > 1) {
    const int middle = (ends + goes_on) / 2;
    (ends_at(middle) ? ends : goes_on) = middle;
  }
  return refusable_call(ends);
}

}  // namespace

std::vector<Binding> libraries_of_32_bit_programs() {
  std::vector<Binding> bindings;
  // All of /lib would show the host's unit files and release to a source's #include.
  for (const char* library : {"/lib/ld-linux.so.2", "/lib32", "/usr/lib32", "/lib/i386-linux-gnu",
                              "/usr/lib/i386-linux-gnu"}) {
    bindings.push_back({.source = library, .target = library, .optional = true});
  }
  return bindings;
}

ProcessOutcome run_in_sandbox(const Command& command, const View& view) {
  // The search runs it ten times more. A slow machine needs a fifth of that to start a program.
  constexpr std::chrono::milliseconds kQuick{500};
  ProcessOutcome outcome = run_with(syscall_filter(view.profile), command, view);
  if (!made_refused_call(outcome)) return outcome;
  outcome.reason = kRefusedCall;
  // Where the C library or the program needs one more, it does so at its start.
  if (view.names_refused_call && outcome.processor_time < kQuick) {
    outcome.reason += ": " + find_refused_call(command, view);
  }
  outcome.reason +=
      " (a C library, compiler or kernel that this version of goldsmith does not know may need it)";
  return outcome;
}

std::optional<std::string> sandbox_failure(const ProcessOutcome& outcome) {
  // Neither program lets a stranger's input decide how its output begins, so that only bubblewrap
  // itself starts a line here with its name.
  constexpr std::string_view kPrefix = "bwrap: ";
  if (outcome.end == ProcessEnd::not_started && lacks_namespace(outcome.reason)) {
    return outcome.reason + " (" + what_forbids_user_namespaces() + ")";
  }
  if (outcome.end == ProcessEnd::not_started && contains(outcome.reason, kBubblewrap)) {
    return outcome.reason + " (apt-get install bubblewrap)";
  }
  if (made_refused_call(outcome)) return outcome.reason;
  if (outcome.end != ProcessEnd::exited || outcome.code != 1) return std::nullopt;
  const std::string_view output = outcome.output;
  if (output.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  std::string reason(output.substr(0, output.find('\n')));
  return reason.append(way_out(reason));
}

int signal_of(const ProcessOutcome& outcome) {
  constexpr int kSignalled = 128;  // and the number of the signal, as a shell has it
  if (outcome.end == ProcessEnd::signalled) return outcome.code;
  const bool reported = outcome.end == ProcessEnd::exited && outcome.code > kSignalled;
  return reported ? outcome.code - kSignalled : 0;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

bool used_up_processor_time(const ProcessOutcome& outcome, std::uint64_t cpu_seconds) {
  const int number = signal_of(outcome);
  return number == SIGXCPU ||
         (number == SIGKILL && outcome.processor_time >= std::chrono::seconds(cpu_seconds));
}

}  // namespace goldsmith::host
