// Bubblewrap around a command: its own user, mount, process, network, ipc and host name spaces, a
// filter of system calls, no capabilities, no /proc, no /dev, and of the file system only what is
// bound.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/sys/process.hpp"

namespace goldsmith::compile {

struct Binding {
  std::filesystem::path source;  // must exist, or the sandbox is not set up
  std::string target;            // where the sandbox sees it
  bool writable = false;
};

// Runs `command` in the sandbox: its program and working directory are paths inside it, its
// environment and limits apply. Besides the bindings it sees the 32-bit C library, read-only, if
// that is installed. Throws sys::FileError if the system call filter can't be created.
sys::ProcessOutcome run_in_sandbox(const sys::Command& command,
                                   const std::vector<Binding>& bindings);

// Why the sandbox could not be set up or its program could not be started, and the way out;
// std::nullopt if the program ran.
std::optional<std::string> sandbox_failure(const sys::ProcessOutcome& outcome);

}  // namespace goldsmith::compile
