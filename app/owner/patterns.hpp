// The patterns that tell causes in logs (decision S34), as the system's regular expressions.
#pragma once

#include <regex.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace goldsmith::owner {

struct Pattern {
  std::size_t number = 0;  // of several that a line has, the lowest counts
  std::string_view text;
};

class Patterns {
 public:
  // Precondition: they are in the order of their numbers, and as scripts/tools/log-causes allows,
  // which the build checks: time is linear in the line then. They outlive this.
  explicit Patterns(std::span<const Pattern> patterns) : patterns_(patterns) {}
  ~Patterns() { release(); }
  Patterns(const Patterns&) = delete;
  Patterns& operator=(const Patterns&) = delete;

  // The number of the first that the line has; std::nullopt if it has none. Bytes, not characters:
  // `.` and a set that excludes take any byte. No NUL is in the line.
  std::optional<std::size_t> first_in(const std::string& line);

 private:
  void compile();
  void release();

  std::span<const Pattern> patterns_;
  std::deque<regex_t> compiled_;  // all of them as one, and each
  std::size_t left_ = 0;          // bytes until they are compiled anew
};

}  // namespace goldsmith::owner
