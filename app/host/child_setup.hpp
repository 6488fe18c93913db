// The part of run_process() that runs in the child. Private to app/host.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/host/process.hpp"

namespace goldsmith::host {

// What the child reports about a step that failed before its program ran.
struct StartFailure {
  const char* step;  // a literal: valid in both processes
  int error_number;
};

// The part of a launch that runs in the child, between fork and exec: system calls alone, no
// allocation.
//
// Boost.Process (1.74, its first interface) makes the argument vector, forks, calls hooks in the
// child and in this process, executes the program, and waits until that has worked or failed. The
// rest is done here, because Boost.Process
//   - leaves every descriptor of this process open in the child, and its limit_handles closes the
//     child's own output as well;
//   - redirects to pipes that may have the number of a standard descriptor, if this process
//     has that one closed, and leaks a pipe's end if a later step of the launch throws;
//   - ignores a start_dir that does not exist;
//   - reports a step that fails in the child in three writes, of which it may read a part, and
//     leaves a zombie then;
//   - has no resource limits, no death signal, no reset of signals;
//   - can neither wait for output and end with one deadline (here poll(2) on a pidfd) nor tell how
//     much processor time the child took (wait4(2)).
class ChildSetup {
 public:
  // The descriptors become stdin, stdout with stderr, and what `report` writes to; all are above 2.
  // Refers to `command`, which must outlive it.
  ChildSetup(const Command& command, int input, int output, int report);

  // For execve.
  char** environment() { return environment_.data(); }

  // If a step fails, reports it and ends the child.
  void run() const;
  void report(const char* step, int error_number) const;

 private:
  void check(const char* step, bool done) const;
  void lead_session() const;
  void start_under_supervision() const;
  void become(const Account& account, pid_t parent) const;
  void mount_memory_folder() const;
  void unshare_mounts() const;
  void write_file(const char* path, const std::string& content) const;
  void set_limits() const;
  void be_nice() const;
  void set_limit_unless_zero(__rlimit_resource resource, std::uint64_t value) const;
  void set_limit(__rlimit_resource resource, std::uint64_t soft, std::uint64_t hard) const;

  const Command& command_;
  int input_;
  int output_;
  int report_;
  pid_t parent_ = ::getpid();
  std::vector<char*> environment_;
  std::string user_map_;
  std::string group_map_;
  std::string mount_options_;
};

}  // namespace goldsmith::host
