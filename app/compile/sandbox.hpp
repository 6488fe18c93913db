// Bubblewrap around a command: its own user, mount, process, network, ipc and host name spaces, no
// capabilities, no /proc, no /dev, and of the file system only what is bound.
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

// `command` as its sandboxed equal: program and working directory are paths inside, its environment
// and limits stay. Beside the bindings it sees the 32-bit C library, read-only, where that is
// installed.
sys::Command in_sandbox(const sys::Command& command, const std::vector<Binding>& bindings);

// Why the sandbox could not be set up or its program not be started; nothing when the program ran.
std::optional<std::string> sandbox_failure(const sys::ProcessOutcome& outcome);

}  // namespace goldsmith::compile
