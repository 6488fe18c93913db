// The operator's command `goldsmith`.
#include <unistd.h>

#include <iostream>

#include "app/cli/run.hpp"

int main(int argc, char** argv) {
  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  return goldsmith::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc},
                             {std::cout, std::cerr, is_terminal});
}
