// Counts what an archive unpacks to, and stops at the limits.
#pragma once

#include <cstdint>

#include "app/sys/config.hpp"

namespace goldsmith::unpack {

class Limits {
 public:
  explicit Limits(const sys::MirrorConfig& config) : config_(config) {}

  // `position`: the offset reached in the archive file. Both throw RefusedEntry.
  void begin_entry(std::uint64_t position);
  void count_bytes(std::uint64_t count, std::uint64_t position);

 private:
  sys::MirrorConfig config_;
  std::uint64_t entries_ = 0;
  std::uint64_t unpacked_ = 0;
  std::uint64_t entry_start_ = 0;
  std::uint64_t entry_unpacked_ = 0;
};

}  // namespace goldsmith::unpack
