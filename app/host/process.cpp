#include "app/host/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>

#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/host/child_setup.hpp"
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

namespace {

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

}  // namespace goldsmith::host
