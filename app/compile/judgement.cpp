#include "app/compile/judgement.hpp"

#include <csignal>

#include "app/compile/diagnostics.hpp"
#include "app/sandbox/ending.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::string_view kNoMemory = "insufficient memory";  // a fatal error's message

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  const auto rest = time.count() % 1000;
  if (rest != 0) text += "." + std::to_string(1000 + rest).substr(1);
  return text + " s";
}

Stop ended_by_signal(int number, const sys::ProcessOutcome& outcome,
                     const sys::CompileConfig& limits, bool has_errors) {
  if (sandbox::used_up_processor_time(outcome, limits.cpu_seconds)) {
    return {"The compiler was stopped: it used more than " +
                seconds(std::chrono::seconds(limits.cpu_seconds)) + " of processor time.",
            true};
  }
  if (number == SIGXFSZ) {
    return {"The compiler was stopped: its output is larger than " +
                sys::binary_size(limits.binary_bytes) + ".",
            true};
  }
  const std::string crashed = "The compiler crashed (" + sandbox::signal_name(number) + ")";
  // The official compilers abort after many a fatal error, such as an include that is not there,
  // and divide by zero where a source does.
  if (has_errors || number == SIGFPE) return {crashed + ".", false};
  return {crashed + ", as it does when it needs more than " +
              sys::binary_size(limits.memory_bytes) + " of memory.",
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

std::string too_slow(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits) {
  return "the compiler did not end within " + seconds(limits.wall_clock) + ", of which it used " +
         seconds(std::chrono::duration_cast<std::chrono::milliseconds>(outcome.processor_time)) +
         " of processor time (the host is overloaded, or an include makes the compiler wait)";
}

// A compiler never sends these to itself.
bool is_killed_from_outside(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits) {
  const int number = sandbox::signal_of(outcome);
  if (number == SIGKILL) return !sandbox::used_up_processor_time(outcome, limits.cpu_seconds);
  return number == SIGTERM || number == SIGINT || number == SIGHUP;
}

}  // namespace

std::optional<std::string> broken_compiler(const sys::ProcessOutcome& outcome,
                                           const sys::CompileConfig& limits) {
  if (auto reason = sandbox::sandbox_failure(outcome)) {
    reason->append(way_out(*reason));
    return reason;
  }
  if (outcome.end == sys::ProcessEnd::not_started) return outcome.reason;
  if (outcome.end == sys::ProcessEnd::wall_clock) return too_slow(outcome, limits);
  if (is_killed_from_outside(outcome, limits)) {
    return "the compiler was killed by a " + sandbox::signal_name(sandbox::signal_of(outcome)) +
           " from outside (by the kernel for want of memory, or by an operator)";
  }
  if (outcome.end != sys::ProcessEnd::exited) return std::nullopt;
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

Stop stop_of(const sys::ProcessOutcome& outcome, std::string_view diagnostics,
             const sys::CompileConfig& limits) {
  if (outcome.end == sys::ProcessEnd::output_limit) {
    return {"The compiler was stopped: it wrote more than " +
                sys::binary_size(limits.output_bytes) + " of messages.",
            true};
  }
  const int number = sandbox::signal_of(outcome);
  if (number != 0) {
    const bool has_errors = has_error(diagnostics) || has_error(outcome.output);
    return ended_by_signal(number, outcome, limits, has_errors);
  }
  if (has_error(diagnostics, kNoMemory)) {
    return {"The compiler gave up: it needs more than " + sys::binary_size(limits.memory_bytes) +
                " of memory.",
            true};
  }
  return {};
}

}  // namespace goldsmith::compile
