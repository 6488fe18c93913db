// The operator's command `goldsmith`.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>

#include "app/base/file.hpp"
#include "app/cli/run.hpp"

namespace {

constexpr const char* kSetupProgram = "/usr/lib/goldsmith/setup";

// Setting a host up is work for a script, which its administrator can read. It is part of the
// package, not of this program.
int become_setup(char** arguments) {
  ::execv(kSetupProgram, arguments);
  std::cerr << "goldsmith: setup: " << kSetupProgram << ": " << std::strerror(errno)
            << "; it comes with the Debian package\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (!goldsmith::base::open_standard_files()) {
    std::cerr << "goldsmith: standard output is closed; nothing was done\n";
    return goldsmith::cli::kFailed;
  }
  // What a command has begun does not end because nobody reads what it prints.
  std::signal(SIGPIPE, SIG_IGN);
  // The workers, which are other users, read what root's commands create. What holds a secret has a
  // mode of its own.
  ::umask(S_IWGRP | S_IWOTH);
  if (argc > 1 && std::string_view(argv[1]) == "setup") return become_setup(argv + 1);
  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  return goldsmith::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc},
                             {std::cout, std::cerr, is_terminal});
}
