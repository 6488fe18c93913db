#include "app/sandbox/ending.hpp"

#include <chrono>
#include <csignal>
#include <cstring>

namespace goldsmith::sandbox {

int signal_of(const sys::ProcessOutcome& outcome) {
  constexpr int kSignalled = 128;  // and the number of the signal, as a shell has it
  if (outcome.end == sys::ProcessEnd::signalled) return outcome.code;
  const bool reported = outcome.end == sys::ProcessEnd::exited && outcome.code > kSignalled;
  return reported ? outcome.code - kSignalled : 0;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

bool used_up_processor_time(const sys::ProcessOutcome& outcome, std::uint64_t cpu_seconds) {
  const int number = signal_of(outcome);
  return number == SIGXCPU ||
         (number == SIGKILL && outcome.processor_time >= std::chrono::seconds(cpu_seconds));
}

}  // namespace goldsmith::sandbox
