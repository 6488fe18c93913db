// What this host knows of the last compiles, in memory that all its processes share: which sources
// are proved (decision P15) and which ended at a limit a moment ago (decision P14). A source is
// named by a key: a digest of what is compiled and with what (64 hex digits).
//
// Bounded: about 130,000 proved sources (2 MiB) and 256 that ended at a limit (4 MiB, taken when
// they are used); of more, those used least recently are forgotten. Without locks, so that a killed
// worker holds nothing up: what it was writing does not match its digest, and counts as absent.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/compile/compiler.hpp"
#include "app/sys/shared_file.hpp"

namespace goldsmith::compile {

class Ledger {
 public:
  using Time = std::chrono::system_clock::time_point;

  // How long an end at a limit is remembered.
  static constexpr std::chrono::minutes kMemory{10};
  // A last compile with more processor time leaves its source unproved.
  static constexpr std::chrono::seconds kQuick{2};

  // Makes the file where it is missing. Throws sys::FileError.
  explicit Ledger(const std::filesystem::path& file);

  // The compiler gave a verdict when it last compiled this, within kQuick of processor time.
  bool is_proved(std::string_view key, Time now);

  // The last compile, if it ended at a limit less than kMemory ago: `failed`, with its output and
  // missing include.
  std::optional<Compilation> limit_of(std::string_view key, Time now) const;

  // To be told after each compile. What was `unavailable` changes nothing.
  void record(std::string_view key, const Compilation& compilation, Time now);

 private:
  struct Shared;

  Shared& shared() const;
  void prove(std::string_view key, Time now);
  void forget_proof(std::string_view key);
  void remember_limit(std::string_view key, const Compilation& compilation, Time now);

  sys::SharedFile file_;
};

}  // namespace goldsmith::compile
