// Runs programs against the clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace goldsmith::bench {

struct Run {
  double milliseconds = 0;
  double peak_mb = 0;  // resident memory of the program
};

// From the start of the program to the end of `then`. Throws when the program fails.
Run timed(
    const std::vector<std::string>& arguments, const std::string& folder,
    const std::function<void()>& then = [] {});

// Milliseconds, megabytes…
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  double median() const;
  double smallest() const;
  double largest() const;

 private:
  std::vector<double> values_;
};

}  // namespace goldsmith::bench
