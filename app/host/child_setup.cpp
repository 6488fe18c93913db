#include "app/host/child_setup.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "app/host/nice_session.hpp"

namespace goldsmith::host {

namespace {

// The parent's blocked and ignored signals would be inherited.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Ends this process the way the child with that wait status ended.
[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::raise(WTERMSIG(status));
  ::_exit(EXIT_FAILURE);
}

// Collects what has ended. True once nothing is left; `status` is the program's when it has ended.
bool collect(pid_t program, std::optional<int>& status) {
  while (true) {
    siginfo_t ended{};
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD;
    if (ended.si_pid == 0) return false;
    // Before it is collected: its group's number can't be given away until then.
    if (ended.si_pid == program) ::kill(-program, SIGKILL);
    int end = 0;
    if (::waitpid(ended.si_pid, &end, 0) == program) status = end;
  }
}

// The program's end is this process', once all that the program left behind has ended too. SIGTERM
// ends the program's group. A descendant that left the group is not waited for much longer.
[[noreturn]] void supervise(pid_t program, const sigset_t& watched) {
  constexpr timespec kPatience{5, 0};
  ::close_range(0, ~0U, 0);
  std::optional<int> status;
  while (!collect(program, status)) {
    const int signal = ::sigtimedwait(&watched, nullptr, status ? &kPatience : nullptr);
    if (signal == SIGTERM && !status) ::kill(-program, SIGKILL);
    if (signal < 0 && errno == EAGAIN) break;  // kPatience is over
  }
  end_like(status.value_or(EXIT_FAILURE << 8));
}

}  // namespace

ChildSetup::ChildSetup(const Command& command, int input, int output, int report)
    : command_(command), input_(input), output_(output), report_(report) {
  for (const std::string& variable : command.environment) {
    environment_.push_back(const_cast<char*>(variable.c_str()));
  }
  environment_.push_back(nullptr);
  if (!command.memory_folder) return;
  // To itself: the numbers are those of the parent's namespace.
  const auto map_of = [](auto id) { return fmt::format("{0} {0} 1", id); };
  user_map_ = map_of(command.account ? command.account->user : ::geteuid());
  group_map_ = map_of(command.account ? command.account->group : ::getegid());
  mount_options_ = fmt::format("mode=0700,size={},nr_inodes={}", command.memory_folder->bytes,
                               command.memory_folder->files);
}

void ChildSetup::run() const {
  lead_session();
  reset_signals();
  if (::getppid() != parent_) ::_exit(EXIT_FAILURE);
  if (command_.supervised) start_under_supervision();
  const pid_t parent = ::getppid();
  set_limits();
  be_nice();
  if (!command_.working_directory.empty()) {
    check("chdir", ::chdir(command_.working_directory.c_str()) == 0);
  }
  check("dup2", ::dup2(input_, STDIN_FILENO) >= 0);
  check("dup2", ::dup2(output_, STDOUT_FILENO) >= 0);
  check("dup2", ::dup2(output_, STDERR_FILENO) >= 0);
  check("close_range", ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0);
  for (const int kept : command_.kept_descriptors) {
    check("fcntl", ::fcntl(kept, F_SETFD, 0) == 0);
  }
  if (command_.account) become(*command_.account, parent);
  if (command_.memory_folder) mount_memory_folder();
}

void ChildSetup::become(const Account& account, pid_t parent) const {
  check("setgroups", ::setgroups(0, nullptr) == 0);
  check("setresgid", ::setresgid(account.group, account.group, account.group) == 0);
  check("setresuid", ::setresuid(account.user, account.user, account.user) == 0);
  // The kernel forgets it with the old user.
  check("prctl", ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
}

void ChildSetup::mount_memory_folder() const {
  unshare_mounts();
  const unsigned long no_programs = command_.memory_folder->programs ? 0 : MS_NOEXEC;
  check("mount", ::mount("tmpfs", command_.memory_folder->path.c_str(), "tmpfs",
                         MS_NOSUID | MS_NODEV | no_programs, mount_options_.c_str()) == 0);
}

// Nothing that is mounted from here on reaches the host.
void ChildSetup::unshare_mounts() const {
  if (::unshare(CLONE_NEWNS) != 0) {
    check("unshare", errno == EPERM && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
    // A change of the user has taken this process' own files in /proc from it.
    check("prctl", ::prctl(PR_SET_DUMPABLE, 1) == 0);
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/gid_map", group_map_);
    write_file("/proc/self/uid_map", user_map_);
  }
  check("mount", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
}

void ChildSetup::write_file(const char* path, const std::string& content) const {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  check(path, file >= 0 && ::write(file, content.data(), content.size()) ==
                               static_cast<ssize_t>(content.size()));
  ::close(file);
}

// A session is also a process group, and has no terminal that the program could write to.
void ChildSetup::lead_session() const {
  check("setsid", ::setsid() >= 0);
  // Nobody would collect the child of a worker that died.
  check("prctl", ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
}

// Returns in the process that goes on to be the program; the other one supervises it.
void ChildSetup::start_under_supervision() const {
  check("prctl", ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  set_limit(RLIMIT_CORE, 0, 0);  // it may end by the program's signal
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  ::sigaddset(&watched, SIGTERM);
  check("sigprocmask", ::sigprocmask(SIG_BLOCK, &watched, nullptr) == 0);
  const pid_t supervisor = ::getpid();
  const pid_t program = ::fork();
  check("fork", program >= 0);
  if (program != 0) {
    // When the worker dies this process has to end the program's group before it ends itself:
    // bubblewrap, for one, would leave a process behind if it were killed while it starts.
    check("prctl", ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0);
    if (::getppid() != parent_) ::kill(-program, SIGKILL);
    supervise(program, watched);
  }
  lead_session();
  if (::getppid() != supervisor) ::_exit(EXIT_FAILURE);
  check("sigprocmask", ::sigprocmask(SIG_UNBLOCK, &watched, nullptr) == 0);
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

void ChildSetup::be_nice() const {
  errno = 0;  // the result may be a legitimate -1
  check("nice", command_.niceness == 0 || ::nice(command_.niceness) != -1 || errno == 0);
  if (command_.niceness != 0) set_session_niceness(command_.niceness);
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

}  // namespace goldsmith::host
