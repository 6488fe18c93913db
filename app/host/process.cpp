#include "app/host/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <system_error>
#include <thread>

#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/host/waiting_time.hpp"

// Boost's first interface: it has moved there in 1.86, and has left its former place in 1.88.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/error.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
namespace bp = boost::process::v1;
#else
#include <fmt/core.h>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
namespace bp = boost::process;
#endif

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

namespace {

// The kernel accepts a change every 100 ms, and others may be quicker.
constexpr std::chrono::milliseconds kPause{20};
constexpr int kAttempts = 50;

// Sets the niceness of this process's session. System calls alone, no allocation: usable between
// fork and exec. False without autogroups, and when the kernel refuses: from unprivileged processes
// it accepts ten changes a second on the whole host, and no niceness below 0.
bool set_session_niceness(int niceness) {
  const int session = ::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (session < 0) return false;
  std::array<char, 4> text{};
  const auto end = std::to_chars(text.begin(), text.end(), niceness);
  const ssize_t written =
      ::write(session, text.data(), static_cast<std::size_t>(end.ptr - text.data()));
  ::close(session);
  return written >= 0;
}

using SteadyClock = std::chrono::steady_clock;

struct Pipe {
  base::UniqueFd read_end;
  base::UniqueFd write_end;
};

// Both ends are moved above the three standard descriptors, which may be closed in this process:
// the child's dup2 would otherwise overwrite one end with another.
std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const base::UniqueFd low_read(ends[0]);
  const base::UniqueFd low_write(ends[1]);
  Pipe pipe{base::above_standard(low_read), base::above_standard(low_write)};
  if (!pipe.read_end || !pipe.write_end) return std::nullopt;
  if (::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
  return pipe;
}

std::string system_text(int error_number) { return std::generic_category().message(error_number); }

// What Boost.Process calls, in the child and in this process. ChildSetup says what else is not
// left to it.
struct LaunchHandler : bp::extend::handler {
  LaunchHandler(ChildSetup& child_setup, pid_t& failed_child)
      : setup(&child_setup), failed(&failed_child) {}

  template <typename Executor>
  void on_setup(Executor& executor) const {
    executor.env = setup->environment();
  }
  template <typename Executor>
  void on_exec_setup(Executor&) const {
    setup->run();
  }
  template <typename Executor>
  void on_exec_error(Executor&, const std::error_code& error) const {
    setup->report("exec", error.value());
  }
  // In this process. Boost.Process forgets the child then, which would stay a zombie.
  template <typename Executor>
  void on_error(Executor& executor, const std::error_code&) const {
    *failed = executor.pid;
  }

  ChildSetup* setup;
  pid_t* failed;
};

std::chrono::microseconds total(const timeval& user, const timeval& system) {
  return std::chrono::seconds(user.tv_sec + system.tv_sec) +
         std::chrono::microseconds(user.tv_usec + system.tv_usec);
}

struct Collected {
  int status = 0;
  std::chrono::microseconds processor_time{0};
};

Collected wait_for(pid_t child) {
  Collected collected;
  rusage usage{};
  while (::wait4(child, &collected.status, 0, &usage) < 0 && errno == EINTR) {
  }
  collected.processor_time = total(usage.ru_utime, usage.ru_stime);
  return collected;
}

// A running child, or the reason why there is none.
struct Started {
  pid_t pid = -1;
  base::UniqueFd pidfd;
  base::UniqueFd output;
  std::string reason;
};

Started failed_start(const std::string& step, int error_number) {
  return {-1, {}, {}, step + ": " + system_text(error_number)};
}

std::string describe(const StartFailure& failure, const Command& command) {
  const std::string_view step = failure.step;
  const std::string subject = step == "chdir"  ? command.working_directory.string()
                              : step == "exec" ? command.arguments.front()
                                               : std::string(step);
  return subject + ": " + system_text(failure.error_number);
}

Started start(const Command& command) {
  auto output = make_pipe();
  auto report = make_pipe();
  if (!output || !report) return failed_start("pipe", errno);
  // Above the standard descriptors, for the same reason as the pipes.
  const base::UniqueFd low_input(command.input >= 0 ? ::fcntl(command.input, F_DUPFD_CLOEXEC, 0)
                                                    : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const base::UniqueFd input = base::above_standard(low_input);
  if (!input) return failed_start("standard input", errno);

  ChildSetup setup(command, input.get(), output->write_end.get(), report->write_end.get());
  pid_t failed = -1;
  std::error_code error;
  bp::child child(
      bp::exe = command.arguments.front(),
      bp::args = std::vector<std::string>(command.arguments.begin() + 1, command.arguments.end()),
      LaunchHandler(setup, failed), error);
  const pid_t pid = child.valid() ? child.id() : failed;
  child.detach();  // waited for here, with a pidfd
  if (pid <= 0) return failed_start("fork", error.value());

  StartFailure failure{};
  if (::read(report->read_end.get(), &failure, sizeof failure) == sizeof failure) {
    wait_for(pid);
    return {-1, {}, {}, describe(failure, command)};
  }
  // glibc 2.36 declares pidfd_open() without C linkage: its header can't be used from C++.
  base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (error || !pidfd) {
    const int number = error ? error.value() : errno;
    ::kill(pid, SIGKILL);
    wait_for(pid);
    return failed_start("start", number);
  }
  return {pid, std::move(pidfd), std::move(output->read_end), {}};
}

// Collects what a child writes, up to a limit.
class OutputReader {
 public:
  OutputReader(int fd, std::uint64_t limit) : fd_(fd), limit_(limit) {}

  bool at_end() const { return at_end_; }
  bool over_limit() const { return over_limit_; }
  std::string take() { return std::move(output_); }

  // One read; false when nothing is there now, or ever again.
  bool read_some() {
    std::array<char, 64U << 10> chunk;
    const ssize_t got = ::read(fd_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) {
      at_end_ = got == 0;
      return false;
    }
    const auto size = static_cast<std::size_t>(got);
    const std::uint64_t room = limit_ - output_.size();
    output_.append(chunk.data(), std::min<std::uint64_t>(size, room));
    over_limit_ = size > room;
    return !over_limit_;
  }

 private:
  int fd_;
  std::uint64_t limit_;
  std::string output_;
  bool at_end_ = false;
  bool over_limit_ = false;
};

// A signal just before poll(2) does not end it: one that counts is noticed at the next look.
int milliseconds_to_wait(SteadyClock::time_point deadline, bool looks_up) {
  constexpr std::chrono::milliseconds kNone{0};
  const std::chrono::milliseconds longest =
      looks_up ? std::chrono::milliseconds(100) : std::chrono::hours(1);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
  return static_cast<int>(std::clamp(left, kNone, longest).count());
}

// Reads until the child has exited or reached a limit. Does not wait for the end of the pipe, which
// a grandchild may hold open.
ProcessEnd watch(const Started& child, OutputReader& reader, SteadyClock::time_point deadline,
                 const Command& command) {
  const bool looks_up = command.interruptible || command.stop.stop_possible();
  while (true) {
    if (SteadyClock::now() >= deadline) return ProcessEnd::wall_clock;
    if (command.interruptible && base::is_interrupted()) return ProcessEnd::interrupted;
    if (command.stop.stop_requested()) return ProcessEnd::interrupted;
    std::array<pollfd, 2> fds{
        {{reader.at_end() ? -1 : child.output.get(), POLLIN, 0}, {child.pidfd.get(), POLLIN, 0}}};
    const int wait = milliseconds_to_wait(deadline, looks_up);
    if (::poll(fds.data(), fds.size(), wait) <= 0) continue;
    if (fds[0].revents != 0) reader.read_some();
    if (reader.over_limit()) return ProcessEnd::output_limit;
    if (fds[1].revents != 0) return ProcessEnd::exited;
  }
}

std::string unusable(const Command& command) {
  if (command.arguments.empty()) return "no program is named";
  if (!command.arguments.front().starts_with('/')) {
    return command.arguments.front() + ": the program must be an absolute path";
  }
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(command.arguments.begin(), command.arguments.end(), has_nul) ||
      std::any_of(command.environment.begin(), command.environment.end(), has_nul) ||
      has_nul(command.working_directory.native())) {
    return command.arguments.front() + ": a NUL byte in the command";
  }
  return {};
}

void run_to_end(const Started& child, const Command& command, SteadyClock::time_point begin,
                ProcessOutcome& outcome) {
  OutputReader reader(child.output.get(), command.limits.output_bytes);
  outcome.end = watch(child, reader, begin + command.limits.wall_clock, command);
  if (outcome.end == ProcessEnd::wall_clock) outcome.waiting_time = waiting_time(child.pid);
  // Before the child is waited for: its process group's number can't be given away until then. A
  // supervisor is alone in its group and kills the program's.
  ::kill(-child.pid, command.supervised ? SIGTERM : SIGKILL);
  while (!reader.over_limit() && reader.read_some()) {
  }
  if (outcome.end == ProcessEnd::exited && reader.over_limit()) {
    outcome.end = ProcessEnd::output_limit;
  }
  outcome.output = reader.take();
  const Collected collected = wait_for(child.pid);
  const int status = collected.status;
  outcome.processor_time = collected.processor_time;
  if (outcome.end != ProcessEnd::exited) return;
  if (WIFSIGNALED(status)) {
    outcome.end = ProcessEnd::signalled;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
}

}  // namespace

ProcessOutcome run_process(const Command& command) {
  const auto begin = SteadyClock::now();
  ProcessOutcome outcome;
  outcome.reason = unusable(command);
  if (!outcome.reason.empty()) return outcome;
  const Started child = start(command);
  if (child.pid > 0) {
    run_to_end(child, command, begin, outcome);
  } else {
    outcome.reason = child.reason;
  }
  outcome.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begin);
  return outcome;
}

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

NiceSession::NiceSession(int niceness) noexcept
    : is_nice_(::getsid(0) == ::getpid() && set_session_niceness(niceness)) {}

NiceSession::~NiceSession() {
  for (int attempt = 0; is_nice_ && attempt < kAttempts; ++attempt) {
    if (set_session_niceness(0)) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace goldsmith::host
