#include "server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

namespace goldsmith::web::test {
namespace {

constexpr unsigned kHangSeconds = 120;  // SIGALRM fails the test of a loop that never ends
constexpr int kNotServed = 99;

char read_byte(const base::UniqueFd& fd) {
  char byte = 0;
  if (read(fd.get(), &byte, 1) != 1) throw std::runtime_error("the server process is gone");
  return byte;
}

std::string descriptors_of_a_child() {
  const std::unique_ptr<FILE, int (*)(FILE*)> child(popen("ls -l /proc/self/fd", "r"), pclose);
  std::string listing;
  for (int c = 0; (c = std::fgetc(child.get())) != EOF;) listing += static_cast<char>(c);
  return listing;
}

}  // namespace

const std::string& big_body() {
  static const std::string big = [] {
    std::string body;
    for (int line = 0; body.size() < 3'000'000; ++line) body += std::to_string(line) + '\n';
    return body;
  }();
  return big;
}

ServerProcess::Pipe::Pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

ServerProcess::ServerProcess(const std::filesystem::path& socket, int listening_fd) {
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) run(socket, listening_fd);
  // Closes the server's ends, so that its end is seen as an end of file.
  for (Pipe* pipe : {&ready_, &held_, &log_}) pipe->write_end.reset();
  go_.read_end.reset();
  read_byte(ready_.read_end);
}

ServerProcess::~ServerProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ServerProcess::run(const std::filesystem::path& socket, int listening_fd) {
  ::signal(SIGALRM, SIG_DFL);  // Boost.Test's handlers belong to the test process
  alarm(kHangSeconds);
  if (listening_fd >= 0) dup2(listening_fd, STDIN_FILENO);
  for (Pipe* pipe : {&ready_, &held_, &log_}) pipe->read_end.reset();
  go_.write_end.reset();
  ServerOptions options;
  options.socket = socket;
  options.on_idle = [this, told = false]() mutable {
    if (!told) base::write_all(ready_.write_end.get(), "r", "pipe");
    told = true;
  };
  const Logger logger = [this](const web::Request& request, const web::Response& response) {
    base::write_all(
        log_.write_end.get(),
        request.method + ' ' + request.target + ' ' + std::to_string(response.status) + '\n',
        "pipe");
  };
  int code = kNotServed;
  try {
    code = serve(options, [this](const web::Request& request) { return respond(request); }, logger);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(code);
}

web::Response ServerProcess::respond(const web::Request& request) const {
  web::Response response;
  response.set_header("Content-Type", "text/plain");
  const std::string& target = request.target;
  if (target == "/big") {
    response.body = big_body();
  } else if (target == "/file") {
    auto file = std::make_shared<web::FileBody>(
        web::FileBody{base::unnamed_file("/tmp"), big_body().size()});
    base::write_all(file->fd.get(), big_body(), "unnamed");
    response.file = std::move(file);
  } else if (target == "/hold") {
    base::write_all(held_.write_end.get(), "h", "pipe");
    read_byte(go_.read_end);
    response.body = "held";
  } else if (target == "/throw") {
    throw std::runtime_error("the secret detail");
  } else if (target == "/descriptors") {
    response.body = descriptors_of_a_child();
  } else {
    response.body = request.method + ' ' + target + ' ' + request.remote_address + ' ' + request.id;
  }
  return response;
}

void ServerProcess::signal(int number) const { kill(pid_, number); }

void ServerProcess::wait_until_held() { read_byte(held_.read_end); }

void ServerProcess::let_go() { base::write_all(go_.write_end.get(), "g", "pipe"); }

int ServerProcess::exit_code() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

std::string ServerProcess::next_log() {
  std::string line;
  for (char c = 0; (c = read_byte(log_.read_end)) != '\n';) line += c;
  return line;
}

}  // namespace goldsmith::web::test
