// The operator's command `goldsmith`: from its arguments to an exit code.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace goldsmith::cli {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool show_progress = false;  // on `err`; for terminals
};

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kSignalled = 128;  // and the number of the signal

// `arguments` exclude the program's name. Never throws; each problem is a line on `err` that begins
// with "goldsmith: ".
int run(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace goldsmith::cli
