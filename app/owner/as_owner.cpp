#include "app/owner/as_owner.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

volatile std::sig_atomic_t child_of_signals = 0;

void end_child(int) {
  const pid_t child = child_of_signals;
  if (child > 0) ::kill(-child, SIGTERM);
}

// What root's environment has for the owner; the rest may be secret. An address of a proxy is left
// out if it has an account in it.
std::vector<std::pair<std::string, std::string>> environment_of_owner() {
  constexpr std::array kKept{"PATH", "TMPDIR", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"};
  constexpr std::array kProxies{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
  std::vector<std::pair<std::string, std::string>> kept;
  for (const char* const name : kKept) {
    if (const char* const value = std::getenv(name)) kept.emplace_back(name, value);
  }
  for (const char* const name : kProxies) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::string_view(value).find('@') == std::string_view::npos) {
      kept.emplace_back(name, value);
    }
  }
  return kept;
}

bool become(const FolderOwner& owner, int output, int errors) {
  const auto environment = environment_of_owner();
  if (::setsid() < 0 || ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(errors, STDERR_FILENO) < 0) {
    return false;
  }
  ::close(STDIN_FILENO);
  if (::open("/dev/null", O_RDONLY) != STDIN_FILENO) return false;
  if (::syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {  // before Linux 5.9
    for (int each = 3; each < static_cast<int>(::sysconf(_SC_OPEN_MAX)); ++each) ::close(each);
  }
  if (::setgroups(0, nullptr) != 0 || ::setresgid(owner.group, owner.group, owner.group) != 0 ||
      ::setresuid(owner.user, owner.user, owner.user) != 0) {
    return false;
  }
  ::clearenv();
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  return true;
}

// Passes on what comes through two pipes, line by line, until both have ended.
class Relay {
 public:
  Relay(int output, int errors) : sides_{{{output, stdout, ""}, {errors, stderr, ""}}} {}

  void run() {
    while (sides_[0].pipe >= 0 || sides_[1].pipe >= 0) {
      std::array<pollfd, 2> polled{{{sides_[0].pipe, POLLIN, 0}, {sides_[1].pipe, POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
      for (std::size_t i = 0; i < polled.size(); ++i) {
        if (polled[i].revents != 0) read(sides_[i]);
      }
    }
  }

 private:
  struct Side {
    int pipe;
    std::FILE* target;
    std::string line;
  };

  static void pass_on(Side& side, std::string_view end) {
    std::fputs((shown(side.line, "\t") + std::string(end)).c_str(), side.target);
    std::fflush(side.target);
    side.line.clear();
  }

  static void read(Side& side) {
    constexpr std::size_t kLongest = 64U << 10;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(side.pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      if (!side.line.empty()) pass_on(side, "");
      side.pipe = -1;
      return;
    }
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
      if (c == '\n' || side.line.size() == kLongest) pass_on(side, "\n");
      if (c != '\n') side.line += c;
    }
  }

  std::array<Side, 2> sides_;
};

}  // namespace

std::optional<FolderOwner> other_owner_of(const std::string& folder) {
  namespace fs = std::filesystem;
  struct stat status{};
  if (::geteuid() != 0 || ::stat(folder.c_str(), &status) != 0) return std::nullopt;
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at its end
  const fs::path real = fs::canonical(folder, error);
  if (error || path != real) {
    refuse(Message("{folder} leads through a link; give {target} instead",
                   {{"folder", shown(folder)}, {"target", shown(real.string())}}));
  }
  if (status.st_uid == 0) return std::nullopt;
  return FolderOwner{status.st_uid, status.st_gid == 0 ? status.st_uid : status.st_gid};
}

int run_as(const FolderOwner& owner, const std::function<int()>& work) {
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0 || ::pipe2(errors.data(), O_CLOEXEC) != 0) return 1;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return 1;
  if (child == 0) {
    const int status = become(owner, output[1], errors[1]) ? work() : 1;
    std::fflush(nullptr);
    ::_exit(status);
  }
  child_of_signals = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_child);
  ::close(output[1]);
  ::close(errors[1]);
  Relay(output[0], errors[0]).run();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child_of_signals = 0;
  ::close(output[0]);
  ::close(errors[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void ask(const Caller& caller, const Message& question) {
  std::fflush(nullptr);
  std::FILE* const terminal = std::fopen("/dev/tty", "r+e");
  if (terminal == nullptr) {
    refuse(Message("there is no terminal to ask on; give --yes. Nothing was changed.", {}));
  }
  std::fputs((question.in(caller.translate) + " [y/N] ").c_str(), terminal);
  std::fflush(terminal);
  std::array<char, 64> answer{};
  const bool is_answered = std::fgets(answer.data(), answer.size(), terminal) != nullptr;
  std::fclose(terminal);
  const std::string_view said = is_answered ? answer.data() : "";
  if (said != "y\n" && said != "Y\n" && said != "yes\n" && said != "Yes\n" && said != "YES\n") {
    refuse(Message("nothing was changed", {}));
  }
}

}  // namespace goldsmith::owner
