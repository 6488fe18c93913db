// How a program in the sandbox ended.
#pragma once

#include <cstdint>
#include <string>

#include "app/sys/process.hpp"

namespace goldsmith::sandbox {

// The signal that ended the program, which bubblewrap reports as an exit code; 0 = none.
int signal_of(const sys::ProcessOutcome& outcome);

// "SIGSEGV".
std::string signal_name(int number);

// True if the limit of processor time ended it. SIGKILL does in the end, if it ignores SIGXCPU.
bool used_up_processor_time(const sys::ProcessOutcome& outcome, std::uint64_t cpu_seconds);

}  // namespace goldsmith::sandbox
