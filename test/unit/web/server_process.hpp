// The accept loop in a separate process, with an application for these tests.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "app/base/file.hpp"
#include "app/web/server.hpp"

namespace goldsmith::web::test {

// Targets: /echo returns the request, /big a large body, /hold responds once it is released, /throw
// fails, /descriptors lists the descriptors that a child process would see.
const std::string& big_body();

class ServerProcess {
 public:
  // Listens on its own socket. Returns once it serves.
  explicit ServerProcess(const std::filesystem::path& socket) : ServerProcess(socket, -1) {}
  // Listens on the socket at descriptor 0.
  explicit ServerProcess(int listening_fd) : ServerProcess("", listening_fd) {}
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  void signal(int number) const;
  void wait_until_held();  // until the application handles a request for /hold
  void let_go();
  int exit_code();         // waits for the exit; 1000 plus its number for a signal
  std::string next_log();  // the next line of the logger: "METHOD TARGET STATUS"

 private:
  struct Pipe {
    Pipe();
    base::UniqueFd read_end;
    base::UniqueFd write_end;
  };

  ServerProcess(const std::filesystem::path& socket, int listening_fd);
  [[noreturn]] void run(const std::filesystem::path& socket, int listening_fd);
  web::Response respond(const web::Request& request) const;

  Pipe ready_, held_, go_, log_;
  pid_t pid_ = -1;
};

}  // namespace goldsmith::web::test
