#include "app/compile/judgement.hpp"

#include <csignal>
#include <cstring>

#include "app/compile/diagnostics.hpp"
#include "app/compile/sandbox.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::string_view kNoMemory = "insufficient memory";  // a fatal error's message

// A shell and bubblewrap report a child's signal as 128 + its number.
constexpr int kSignalled = 128;

int signal_of(const sys::ProcessOutcome& outcome) {
  if (outcome.end == sys::ProcessEnd::signalled) return outcome.code;
  const bool reported = outcome.end == sys::ProcessEnd::exited && outcome.code > kSignalled;
  return reported ? outcome.code - kSignalled : 0;
}

std::string seconds(std::chrono::milliseconds time) {
  std::string text = std::to_string(time.count() / 1000);
  const auto rest = time.count() % 1000;
  if (rest != 0) text += "." + std::to_string(1000 + rest).substr(1);
  return text + " s";
}

std::string size(std::uint64_t bytes) {
  if (bytes >= 1U << 20) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes >> 10) + " KiB";
}

std::string name_of(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

// SIGKILL in the end, for a compiler that ignores SIGXCPU.
bool used_up_processor_time(int number, const sys::ProcessOutcome& outcome,
                            const sys::CompileConfig& limits) {
  return number == SIGXCPU ||
         (number == SIGKILL && outcome.processor_time >= std::chrono::seconds(limits.cpu_seconds));
}

Stop ended_by_signal(int number, const sys::ProcessOutcome& outcome,
                     const sys::CompileConfig& limits, bool has_errors) {
  if (used_up_processor_time(number, outcome, limits)) {
    return {"The compiler was stopped: it used more than " +
                seconds(std::chrono::seconds(limits.cpu_seconds)) + " of processor time.",
            true};
  }
  if (number == SIGXFSZ) {
    return {
        "The compiler was stopped: its output is larger than " + size(limits.binary_bytes) + ".",
        true};
  }
  const std::string crashed = "The compiler crashed (" + name_of(number) + ")";
  // The official compilers abort after many a fatal error, such as an include that is not there,
  // and divide by zero where a source does.
  if (has_errors || number == SIGFPE) return {crashed + ".", false};
  return {
      crashed + ", as it does when it needs more than " + size(limits.memory_bytes) + " of memory.",
      true};
}

std::string too_slow(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits) {
  return "the compiler did not end within " + seconds(limits.wall_clock) + ", of which it used " +
         seconds(std::chrono::duration_cast<std::chrono::milliseconds>(outcome.processor_time)) +
         " of processor time (the host is overloaded, or an include makes the compiler wait)";
}

// A compiler never sends these to itself.
bool is_killed_from_outside(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits) {
  const int number = signal_of(outcome);
  if (number == SIGKILL) return !used_up_processor_time(number, outcome, limits);
  return number == SIGTERM || number == SIGINT || number == SIGHUP;
}

}  // namespace

std::optional<std::string> broken_compiler(const sys::ProcessOutcome& outcome,
                                           const sys::CompileConfig& limits) {
  if (auto reason = sandbox_failure(outcome)) return reason;
  if (outcome.end == sys::ProcessEnd::not_started) return outcome.reason;
  if (outcome.end == sys::ProcessEnd::wall_clock) return too_slow(outcome, limits);
  if (is_killed_from_outside(outcome, limits)) {
    return "the compiler was killed by a " + name_of(signal_of(outcome)) +
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
    return {"The compiler was stopped: it wrote more than " + size(limits.output_bytes) +
                " of messages.",
            true};
  }
  const int number = signal_of(outcome);
  if (number != 0) {
    const bool has_errors = has_error(diagnostics) || has_error(outcome.output);
    return ended_by_signal(number, outcome, limits, has_errors);
  }
  if (has_error(diagnostics, kNoMemory)) {
    return {"The compiler gave up: it needs more than " + size(limits.memory_bytes) + " of memory.",
            true};
  }
  return {};
}

}  // namespace goldsmith::compile
