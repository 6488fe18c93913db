#include "app/owner/commands.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/base/text.hpp"

namespace goldsmith::owner {
namespace {

// A pipe of this process; what it was given can be read from the other end.
int pipe_with(std::string_view input) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  const ssize_t written = ::write(ends[1], input.data(), input.size());
  ::close(ends[1]);
  if (written == static_cast<ssize_t>(input.size())) return ends[0];
  ::close(ends[0]);
  return -1;
}

}  // namespace

Ended run(Command command) {
  std::vector<char*> arguments;
  for (std::string& word : command.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const int input = command.input.empty() ? -1 : pipe_with(command.input);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (command.keeps_errors) ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  if (input >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  if (command.folder >= 0) ::posix_spawn_file_actions_addfchdir_np(&actions, command.folder);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (input >= 0) ::close(input);
  Ended ended;
  std::array<char, 64U << 10> buffer;
  bool is_whole = error == 0;
  while (is_whole) {
    const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    ended.output.append(buffer.data(), static_cast<std::size_t>(count));
    is_whole = ended.output.size() <= command.most;
  }
  ::close(ends[0]);
  if (error != 0) return {error == ENOENT ? Ended::kMissing : -1, ""};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = is_whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

bool has_relative_path() {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return false;
  for (const std::string_view folder : base::split(path, ':')) {
    if (!folder.starts_with('/')) return true;
  }
  return false;
}

}  // namespace goldsmith::owner
