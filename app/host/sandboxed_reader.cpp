#include "app/host/sandboxed_reader.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/frame.hpp"
#include "app/base/interruption.hpp"
#include "app/host/account.hpp"

namespace goldsmith::host {
namespace {

namespace fs = std::filesystem;
using host::ProcessEnd;

constexpr const char* kUnpackProgram = "goldsmith-unpack";
constexpr const char* kInSandbox = "/goldsmith-unpack";

// The 64-bit C library and what libarchive needs; its names are UTF-8 by the locale.
constexpr const char* kLibraries[] = {"/lib64", "/lib/ld-linux-aarch64.so.1",
                                      "/lib/" GOLDSMITH_LIBRARIES, "/usr/lib/" GOLDSMITH_LIBRARIES,
                                      "/usr/lib/locale/C.utf8"};

void complete(View& view, const base::UniqueFd& program) {
  for (const char* library : kLibraries) {
    view.bindings.push_back({.source = library, .target = library, .optional = true});
  }
#ifdef GOLDSMITH_SANITIZED  // which reads its options from /proc/self
  view.bindings.push_back({"/proc", "/proc"});
#endif
  view.program = {program.get(), kInSandbox};
}

struct Sockets {
  base::UniqueFd own;  // does not block
  base::UniqueFd other;
};

Sockets make_sockets() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw base::FileError(kUnpackProgram, "socketpair", errno);
  }
  const base::UniqueFd own(ends[0]);
  const base::UniqueFd other(ends[1]);
  Sockets sockets{base::above_standard(own), base::above_standard(other)};
  if (!sockets.own || !sockets.other || ::fcntl(sockets.own.get(), F_SETFL, O_NONBLOCK) != 0) {
    throw base::FileError(kUnpackProgram, "socketpair", errno);
  }
  return sockets;
}

struct TookTooLong {};

}  // namespace

fs::path unpack_program() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = folder.parent_path() / "lib/goldsmith" / kUnpackProgram;
  return fs::exists(installed, error) ? installed : folder / kUnpackProgram;
}

ProcessOutcome run_unpack_program(const fs::path& program, Command command, View view) {
  const base::UniqueFd file = base::above_standard(base::open_file(program, O_RDONLY));
  if (!file) throw base::FileError(program, "can't be opened", errno);
  command.arguments.insert(command.arguments.begin(), kInSandbox);
  command.working_directory = "/";
  command.interruptible = true;
#ifdef GOLDSMITH_SANITIZED
  // The former needs ptrace, the latter sets a limit.
  command.environment.emplace_back("ASAN_OPTIONS=detect_leaks=0:disable_coredump=0");
  command.limits.address_space_bytes = 0;  // which it maps terabytes of
#endif
  if (const auto account = unprivileged_account(kMirrorAccount)) {
    command.account = account->account;
  }
  complete(view, file);
  return run_in_sandbox(command, view);
}

// A process, and the thread that waits for its end.
class Conversation::Process {
 public:
  Process(const fs::path& program, const Limits& limits)
      : limits_(limits), socket_(start(program)) {
    if (exchange({"hello"})) return;
    const ProcessOutcome& outcome = end();
    if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
    const auto failure = sandbox_failure(outcome);
    throw ReaderUnavailable(std::string(kUnpackProgram) + ": " +
                            (failure                   ? *failure
                             : !outcome.reason.empty() ? outcome.reason
                             : !outcome.output.empty()
                                 ? outcome.output.substr(0, outcome.output.find('\n'))
                                 : "it does not start"));
  }

  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::size_t asked() const { return asked_; }

  // std::nullopt if it has ended, or is of no use any more. Throws base::Interrupted.
  std::optional<std::string> exchange(const std::vector<std::string_view>& question) try {
    const auto deadline = std::chrono::steady_clock::now() + limits_.wall_clock;
    const auto before_wait = [&] {
      base::check_interruption();
      if (std::chrono::steady_clock::now() >= deadline) throw TookTooLong();
    };
    ++asked_;
    if (!base::send_frame(socket_.get(), question, before_wait)) return std::nullopt;
    auto answer = base::receive_frame(socket_.get(), {2, limits_.answer_bytes}, before_wait);
    if (!answer || answer->size() != 2) return std::nullopt;
    if ((*answer)[0] != "done") throw Unreadable((*answer)[1]);
    return std::move((*answer)[1]);
  } catch (const TookTooLong&) {
    is_late_ = true;
    return std::nullopt;
  }

  // Why there was no answer.
  std::string problem() {
    if (is_late_) {
      const auto time = std::chrono::duration_cast<std::chrono::seconds>(limits_.wall_clock);
      return fmt::format("it was not read within {} s", time.count());
    }
    const ProcessOutcome& outcome = end();
    if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
    if (used_up_processor_time(outcome, limits_.cpu_seconds)) {
      return fmt::format("reading it takes more than {} s of processor time", limits_.cpu_seconds);
    }
    if (const int number = signal_of(outcome); number != 0) {
      return "reading it ended by " + signal_name(number);
    }
    return fmt::format("reading it failed, or takes more than {} MB of memory",
                       limits_.memory_bytes >> 20);
  }

 private:
  base::UniqueFd start(const fs::path& program) {
    Sockets sockets = make_sockets();
    Command command;
    command.arguments = {"--questions", std::to_string(sockets.other.get())};
    command.kept_descriptors = {sockets.other.get()};
    command.limits.wall_clock = std::chrono::hours(24);
    command.limits.cpu_seconds = limits_.cpu_seconds;
    command.limits.address_space_bytes = limits_.memory_bytes;
    command.limits.open_files = 64;
    command.limits.file_size_bytes = 256U << 20;  // of the copy of the program
    thread_ = std::jthread([this, program, command = std::move(command),
                            other = std::move(sockets.other)](std::stop_token stop) mutable {
      command.stop = std::move(stop);
      try {
        outcome_ = run_unpack_program(program, std::move(command), {.names_refused_call = false});
      } catch (const std::exception& failure) {
        outcome_.reason = failure.what();
      }
      other.reset();  // so that whoever waits for an answer learns of the end
    });
    return std::move(sockets.own);
  }

  // One that gets no more questions ends by itself, or is ended.
  const ProcessOutcome& end() {
    if (!thread_.joinable()) return outcome_;
    if (!is_late_) await_end();
    thread_.request_stop();
    thread_.join();
    return outcome_;
  }

  void await_end() const {
    constexpr int kMilliseconds = 2000;
    ::shutdown(socket_.get(), SHUT_RDWR);
    pollfd ended{socket_.get(), 0, 0};  // both ends are closed
    while (::poll(&ended, 1, kMilliseconds) < 0 && errno == EINTR) {
    }
  }

  const Limits limits_;
  ProcessOutcome outcome_;
  std::jthread thread_;
  base::UniqueFd socket_;
  std::size_t asked_ = 0;
  bool is_late_ = false;
};

Conversation::Conversation(fs::path program) : Conversation(std::move(program), Limits()) {}

Conversation::Conversation(fs::path program, const Limits& limits)
    : program_(std::move(program)), limits_(limits) {}

Conversation::~Conversation() = default;

std::string Conversation::ask(const std::vector<std::string_view>& question) {
  std::size_t bytes = 0;
  for (const std::string_view part : question) bytes += part.size();
  if (bytes > limits_.question_bytes) {
    throw Unreadable(fmt::format("it has more than {} MB", limits_.question_bytes >> 20));
  }
  if (process_ && process_->asked() >= limits_.questions) process_.reset();
  for (;;) {
    const bool is_new = !process_;
    if (is_new) process_ = std::make_unique<Process>(program_, limits_);
    if (auto answer = process_->exchange(question)) return *std::move(answer);
    const std::string problem = process_->problem();
    process_.reset();
    if (is_new) throw Unreadable(problem);
  }
}

}  // namespace goldsmith::host
