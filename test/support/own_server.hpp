// A database server of a test's own, which it may stop: not the one that the other tests use.
#pragma once

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/host/process.hpp"
#include "db/database.hpp"

namespace goldsmith::test {

class OwnServer {
 public:
  // `options` are the server's.
  explicit OwnServer(std::vector<std::string> options = {}) : options_(std::move(options)) {
    // The server's user must get in.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    start();
  }
  ~OwnServer() { stop(); }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  void start() const { call("start", options_); }
  void stop() const { call("stop", {}); }

  // A frozen server keeps its connections, and answers nothing.
  void freeze() const {
    signal(SIGSTOP);
    while (!has_stopped()) std::this_thread::yield();
  }
  void thaw() const { signal(SIGCONT); }

  base::ServerAddress address() const {
    const auto socket = folder_.path() / "db" / "sock";
    return {std::filesystem::is_symlink(socket) ? std::filesystem::read_symlink(socket).string()
                                                : socket.string()};
  }
  // As root.
  db::ConnectionSettings settings() const {
    db::ConnectionSettings settings;
    settings.servers = {address()};
    settings.user = "root";
    settings.schema = "mysql";
    return settings;
  }

 private:
  pid_t pid() const { return std::stoi(base::read_file(folder_.path() / "db" / "pid")); }
  void signal(int number) const { BOOST_REQUIRE(::kill(pid(), number) == 0); }
  // Each thread stops by itself, after the signal was sent.
  bool has_stopped() const {
    const std::filesystem::path threads = "/proc/" + std::to_string(pid()) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(threads)) {
      const std::string state = base::read_file(thread.path() / "stat");
      if (state.compare(state.rfind(')') + 1, 2, " T") != 0) return false;
    }
    return true;
  }
  void call(const std::string& verb, const std::vector<std::string>& options) const {
    const char* const script = std::getenv("GOLDSMITH_PRIVATE_DATABASE");
    if (script == nullptr) throw std::runtime_error("GOLDSMITH_PRIVATE_DATABASE is not set");
    host::Command command;
    command.arguments = {script, (folder_.path() / "db").string(), verb};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.working_directory = "/";
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    if (const char* const tree = std::getenv("MYSQL_TREE")) {
      command.environment.push_back(std::string("MYSQL_TREE=") + tree);
    }
    command.limits.wall_clock = std::chrono::seconds(120);
    const auto outcome = host::run_process(command);
    BOOST_TEST(outcome.code == 0, outcome.output << outcome.reason);
  }

  std::vector<std::string> options_;
  base::TempDir folder_;
};

}  // namespace goldsmith::test
