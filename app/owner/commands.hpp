// The programs of the machine that the program for owners runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace goldsmith::owner {

struct Command {
  std::vector<std::string> words;  // the first is looked for in PATH
  std::string input = {};          // a few lines
  std::size_t most = 64U << 10;    // of what it prints
  int folder = -1;                 // where it runs; that of this process by itself
  bool keeps_errors = false;       // in `output`, too, instead of showing them
};

struct Ended {
  static constexpr int kMissing = 127;
  int status =
      -1;  // kMissing: there is no such program; -1: it printed too much, or did not end by itself
  std::string output;
};

Ended run(Command command);

// Whether a program could be taken from the folder where this runs.
bool has_relative_path();

}  // namespace goldsmith::owner
