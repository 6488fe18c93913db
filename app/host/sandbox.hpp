// Bubblewrap around a command that handles what strangers made: compiles, the reading of upstream
// archives, and servers that are started. Its own user, mount, process, network, ipc and host name
// spaces, a list of the system calls that it may make, no capabilities, no /dev, and of the file
// system only what is in its view.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/host/process.hpp"
#include "app/host/syscall_filter.hpp"

namespace goldsmith::host {

struct Binding {
  std::filesystem::path source;  // must exist, or the sandbox is not set up
  std::string target;            // where the sandbox sees it
  bool writable = false;
  bool optional = false;  // left out if it does not exist
  bool device = false;    // a device, which other bindings can't be used as
};

// A program that the sandbox gets a copy of, in memory: for one in a folder that the command's
// account may not enter.
struct CopiedProgram {
  int descriptor = -1;  // open for reading, above 2
  std::string target;
};

// How the reason of a process begins that was ended for a system call. It is this host's fault, or
// the list's, not that of what was tried.
inline constexpr const char* kRefusedCall = "it made a system call that its sandbox does not allow";

struct View {
  std::vector<Binding> bindings = {};
  std::optional<CopiedProgram> program = {};
  Profile profile = Profile::reader;
  bool names_refused_call = true;  // by running the program again
  bool has_proc = false;           // a /proc of the sandbox's processes; else none
};

// The loader and libraries of 32-bit programs, where libc6-i386 and libc6:i386 of Debian put them;
// those that there are.
std::vector<Binding> libraries_of_32_bit_programs();

// Runs `command` in the sandbox: its program and working directory are paths inside it, its
// environment, limits, descriptors and account apply. With an account the sandbox itself is set up
// by that one, too. Where a system call that is not allowed ended the program, the outcome's reason
// names the call if it can be found within a few seconds: by running the program again, up to
// eleven times. Throws base::FileError if the system call filter can't be created.
ProcessOutcome run_in_sandbox(const Command& command, const View& view);

// Why the sandbox could not be set up or its program could not be started, and the way out;
// or the system call that is not allowed; std::nullopt if the program ran.
std::optional<std::string> sandbox_failure(const ProcessOutcome& outcome);

// How a program in the sandbox ended.

// The signal that ended the program, which bubblewrap reports as an exit code; 0 = none.
int signal_of(const ProcessOutcome& outcome);

// "SIGSEGV".
std::string signal_name(int number);

// True if the limit of processor time ended it. SIGKILL does in the end, if it ignores SIGXCPU.
bool used_up_processor_time(const ProcessOutcome& outcome, std::uint64_t cpu_seconds);

}  // namespace goldsmith::host
