// The accept loop in a process of its own, with an application made for these tests.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "app/fcgi/server.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::fcgi::test {

// Targets: /echo answers what it was asked, /big the big body, /hold answers when it is let go,
// /throw fails, /descriptors lists those that a child process would see.
const std::string& big_body();

class ServerProcess {
 public:
  // On a socket of its own. Returns when it serves.
  explicit ServerProcess(const std::filesystem::path& socket) : ServerProcess(socket, -1) {}
  // On a listening socket that it finds at descriptor 0.
  explicit ServerProcess(int listening_fd) : ServerProcess("", listening_fd) {}
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void signal(int number) const;
  void wait_until_held();  // a request for /hold is in the application
  void let_go();
  int exit_code();         // waits for the end; a signal counts as 1000 and its number
  std::string next_log();  // one line the logger wrote: "METHOD TARGET STATUS"

 private:
  struct Pipe {
    Pipe();
    sys::UniqueFd read_end;
    sys::UniqueFd write_end;
  };

  ServerProcess(const std::filesystem::path& socket, int listening_fd);
  [[noreturn]] void run(const std::filesystem::path& socket, int listening_fd);
  http::Response respond(const http::Request& request) const;

  Pipe ready_, held_, go_, log_;
  pid_t pid_ = -1;
};

}  // namespace goldsmith::fcgi::test
