// Child processes with limits. The outcome is a value: nothing a child does throws here. Built on
// Boost.Process; ChildSetup in process.cpp says what that does and what is added, and why.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace goldsmith::host {

// 0 = unlimited, except for the wall clock and the output, which always bind.
struct ProcessLimits {
  std::chrono::milliseconds wall_clock{10'000};
  std::uint64_t output_bytes = 1U << 20;  // stdout and stderr together; more ends the child
  std::uint64_t cpu_seconds = 0;          // RLIMIT_CPU: ends it by SIGXCPU
  std::uint64_t address_space_bytes = 0;  // RLIMIT_AS
  std::uint64_t file_size_bytes = 0;      // RLIMIT_FSIZE
  std::uint64_t open_files = 0;           // RLIMIT_NOFILE
  std::uint64_t processes = 0;            // RLIMIT_NPROC
};

struct Account {
  uid_t user = 0;
  gid_t group = 0;  // the only one
};

// A file system in memory over a folder, which the program alone sees; it is gone with its last
// process. A program that creates more, or writes more, fails with ENOSPC.
struct MemoryFolder {
  std::filesystem::path path;  // exists
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;  // of any kind, the folder itself among them
  bool programs = false;    // what is in it may be executed
};

struct Command {
  std::vector<std::string> arguments;       // [0] is the program: an absolute path
  std::filesystem::path working_directory;  // empty = this process'
  std::vector<std::string> environment;     // "NAME=value"; the child sees these and nothing else
  // What the program reads as standard input, from the position on that it has; -1 = nothing.
  int input = -1;
  // The child has them too, under their numbers, which are above 2 (above_standard()).
  std::vector<int> kept_descriptors;
  // The program runs as this one, without capabilities; absent = as this process. Only root may.
  std::optional<Account> account;
  // In a mount namespace of the program's own, and without CAP_SYS_ADMIN a user namespace, too.
  std::optional<MemoryFolder> memory_folder;
  // A process in between starts the program, adopts what the program leaves behind when it exits,
  // and collects it: for a program that does not wait for its own children, whose processor time
  // would otherwise be lost. Costs one more fork.
  bool supervised = false;
  int niceness = 0;  // added to this process' (nice(2)), and the niceness of the program's session
  // A signal that arrives under an InterruptionGuard ends the program.
  bool interruptible = false;
  // Ends the program, as a signal does, within a tenth of a second.
  std::stop_token stop;
  ProcessLimits limits;
};

enum class ProcessEnd {
  exited,        // `code` is the exit code
  signalled,     // `code` is the signal
  wall_clock,    // killed: too slow
  output_limit,  // killed: too talkative
  interrupted,   // killed: Command::interruptible, Command::stop
  not_started    // `reason` says why
};

struct ProcessOutcome {
  ProcessEnd end = ProcessEnd::not_started;
  int code = 0;
  std::string output;  // stdout and stderr as they came, at most `output_bytes`
  std::string reason;
  std::chrono::microseconds duration{0};
  // What the child took and those descendants that were waited for (Command::supervised: all).
  std::chrono::microseconds processor_time{0};
  // Of `wall_clock`: how long it and its descendants waited for a processor; absent = not known.
  std::optional<std::chrono::microseconds> waiting_time = {};
};

// Runs the command to its end. stdin is `input` or /dev/null; stdout and stderr are captured; every
// other descriptor but `kept_descriptors` is closed in the child; it leads its own process group,
// which is killed whole when a limit is hit and again after the child ended, so that no grandchild
// outlives the call; one that left the group by setsid(2) is for the sandbox's own pid namespace to
// end. The child also dies with this thread. Core dumps are off; signals are as by default. Never
// throws for what the child does or for a program that can't be started.
ProcessOutcome run_process(const Command& command);

}  // namespace goldsmith::host
