// A progress line on a terminal, rewritten in place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace goldsmith::cli {

struct Transfer {
  std::string name;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0 = unknown
  std::chrono::milliseconds elapsed{0};
};

// "name  [#####.....]  52 %  1.2 of 2.3 MB  800 kB/s  2 s left" in at most `width` columns. If
// there is too little room, the bar is left out, then the name is shortened.
std::string describe(const Transfer& transfer, std::size_t width);

class ProgressLine {
 public:
  // Writes nothing at all unless `is_terminal`.
  ProgressLine(std::ostream& terminal, bool is_terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view what);
  // Redraws at most ten times a second, and always at the end of a file.
  void show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total);
  // "12 of 300 plugins read"; draws at most ten times a second, and the last always.
  void show_count(std::string_view what, std::size_t done, std::size_t total);
  // Erases the line, before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const std::string& line);

  std::ostream& terminal_;
  bool is_terminal_;
  bool drawn_ = false;
  std::string name_;
  Clock::time_point begun_;
  Clock::time_point drawn_at_;
};

}  // namespace goldsmith::cli
