// What who waits for a scan is told while it is at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldsmith::scan {

// For one thread, but for show_count().
class Progress {
 public:
  virtual ~Progress() = default;

  // What it does now.
  virtual void show(std::string_view what) = 0;
  // How much of it is done: "12 of 300 sources read". Not by two threads at once.
  virtual void show_count(std::string_view what, std::size_t done, std::size_t total) = 0;
  // Bytes; `total` is 0 if it is not known.
  virtual void show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total) = 0;
  // What was shown is over.
  virtual void end() = 0;

  // What a person should know, as a sentence.
  virtual void report(std::string_view message) = 0;
};

}  // namespace goldsmith::scan
