// What this host knows of recent compiles, in memory that all its processes share: which sources
// are proved (decision P15) and which have just ended at a limit (decision P14). The key of a
// source is a digest of all that is compiled and of the toolchain (64 hex digits).
//
// Bounded: about 130,000 proved sources (2 MiB) and 256 that ended at a limit (4 MiB, taken when
// they are used); the least recently used are dropped first. Lock-free, so that a killed worker
// blocks nobody: what it was writing does not match its digest and counts as absent.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/compile/compiler.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::compile {

class CompileHistory {
 public:
  using Time = std::chrono::system_clock::time_point;

  // How long an end at a limit is remembered.
  static constexpr std::chrono::minutes kMemory{10};
  // A last compile with more processor time leaves its source unproved.
  static constexpr std::chrono::seconds kQuick{2};

  // Creates the file if it does not exist. Throws base::FileError.
  explicit CompileHistory(const std::filesystem::path& file);

  // The compiler gave a verdict when it last compiled this, within kQuick of processor time.
  bool is_proved(std::string_view key, Time now);

  // The last compile, if it ended at a limit less than kMemory ago: `failed`, with its output and
  // missing include.
  std::optional<Compilation> limit_of(std::string_view key, Time now) const;

  // To be called after each compile. Ignores `unavailable`.
  void record(std::string_view key, const Compilation& compilation, Time now);

 private:
  struct Shared;

  Shared& shared() const;
  void remember_limit(std::string_view key, const Compilation& compilation, Time now);

  host::SharedFile file_;
};

}  // namespace goldsmith::compile
