// Runs the command in this process, as main() does.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "app/cli/run.hpp"

namespace goldsmith::cli {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline Outcome call(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run(arguments, {out, err, false});
  return {code, out.str(), err.str()};
}

}  // namespace goldsmith::cli
