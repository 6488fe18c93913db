#include "app/owner/fetching.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "app/base/text.hpp"

namespace goldsmith::owner {
namespace {

struct Ended {
  int status = -1;  // 127: there is no such program
  std::string output;
};

Ended run(std::vector<std::string> words, std::size_t most) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Ended ended;
  std::array<char, 64U << 10> buffer;
  bool is_whole = error == 0;
  while (is_whole) {
    const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    ended.output.append(buffer.data(), static_cast<std::size_t>(count));
    is_whole = ended.output.size() <= most;
  }
  ::close(ends[0]);
  if (error != 0) return {error == ENOENT ? 127 : -1, ""};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = is_whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

}  // namespace

bool has_relative_path() {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  for (const std::string_view folder : base::split(path, ':')) {
    if (!folder.starts_with('/')) return true;
  }
  return false;
}

std::optional<Fetched> fetch(const std::string& url, const std::string& agent, std::size_t most,
                             FetchProblem& problem) {
  constexpr std::size_t kStatus = 4;  // a line feed and three digits behind the body
  Ended ended = run(
      {"curl", "-q", "-sS", "--compressed", "--proto", "=http,https", "--connect-timeout", "30",
       "--speed-limit", "1", "--speed-time", "60", "-A", agent, "-w", "\\n%{http_code}", "--", url},
      most + kStatus);
  problem = FetchProblem::unreachable;
  if (ended.status == 0 && ended.output.size() >= kStatus) {
    const auto status = base::parse_number<int>(
        std::string_view(ended.output).substr(ended.output.size() - kStatus + 1));
    ended.output.resize(ended.output.size() - kStatus);
    if (!status) return std::nullopt;
    return Fetched{*status, std::move(ended.output)};
  }
  if (ended.status != 127) return std::nullopt;
  ended = run({"wget", "-q", "-T", "60", "-O", "-", "--", url}, most);
  if (ended.status == 127) problem = FetchProblem::no_program;
  if (ended.status != 0) return std::nullopt;
  return Fetched{200, std::move(ended.output)};
}

}  // namespace goldsmith::owner
