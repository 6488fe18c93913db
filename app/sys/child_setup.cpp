#include "app/sys/child_setup.hpp"

#include <fcntl.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace goldsmith::sys {
namespace {

// The parent's blocked and ignored signals would be inherited.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

ChildSetup::ChildSetup(const Command& command, int null_device, int output, int report)
    : command_(command), null_device_(null_device), output_(output), report_(report) {
  for (const std::string& variable : command.environment) {
    environment_.push_back(const_cast<char*>(variable.c_str()));
  }
  environment_.push_back(nullptr);
}

void ChildSetup::run() const {
  check("setpgid", ::setpgid(0, 0) == 0);
  // Nobody would collect the child of a worker that died.
  check("prctl", ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  if (::getppid() != parent_) ::_exit(EXIT_FAILURE);
  reset_signals();
  set_limits();
  if (!command_.working_directory.empty()) {
    check("chdir", ::chdir(command_.working_directory.c_str()) == 0);
  }
  check("dup2", ::dup2(null_device_, STDIN_FILENO) >= 0);
  check("dup2", ::dup2(output_, STDOUT_FILENO) >= 0);
  check("dup2", ::dup2(output_, STDERR_FILENO) >= 0);
  check("close_range", ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
  if (command_.kept_descriptor >= 0) {
    check("fcntl", ::fcntl(command_.kept_descriptor, F_SETFD, 0) == 0);
  }
}

void ChildSetup::report(const char* step, int error_number) const {
  const StartFailure failure{step, error_number};
  // Smaller than PIPE_BUF: written whole or not at all.
  [[maybe_unused]] const ssize_t written = ::write(report_, &failure, sizeof failure);
}

void ChildSetup::check(const char* step, bool done) const {
  if (done) return;
  report(step, errno);
  ::_exit(EXIT_FAILURE);
}

void ChildSetup::set_limits() const {
  const ProcessLimits& limits = command_.limits;
  set_limit(RLIMIT_CORE, 0, 0);
  // SIGXCPU at the limit; SIGKILL a second later for a child that ignores it.
  if (limits.cpu_seconds != 0) set_limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  set_limit_unless_zero(RLIMIT_AS, limits.address_space_bytes);
  set_limit_unless_zero(RLIMIT_FSIZE, limits.file_size_bytes);
  set_limit_unless_zero(RLIMIT_NOFILE, limits.open_files);
  set_limit_unless_zero(RLIMIT_NPROC, limits.processes);
}

void ChildSetup::set_limit_unless_zero(__rlimit_resource resource, std::uint64_t value) const {
  if (value != 0) set_limit(resource, value, value);
}

// Never above what this process itself may have.
void ChildSetup::set_limit(__rlimit_resource resource, std::uint64_t soft,
                           std::uint64_t hard) const {
  rlimit current{};
  check("getrlimit", ::getrlimit(resource, &current) == 0);
  const rlimit wanted{std::min<rlim_t>(soft, current.rlim_max),
                      std::min<rlim_t>(hard, current.rlim_max)};
  check("setrlimit", ::setrlimit(resource, &wanted) == 0);
}

}  // namespace goldsmith::sys
