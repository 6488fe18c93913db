// The operator's care for the two caches, of server archives and of plugins compiled for them,
// while workers use both.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/archive/archive_removal.hpp"
#include "app/archive/cached_files.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"

namespace goldsmith::service {

enum class CacheKind { archives, artefacts };

struct CacheContent {
  bool exists = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes = 0;  // that pruning leaves
  std::optional<std::chrono::system_clock::time_point> oldest_use;
};

struct CacheFinding {
  enum class State {
    ok,
    damaged,
    stray  // nothing of goldsmith's
  };
  std::filesystem::path file;
  State state = State::ok;
  std::string detail;  // what is wrong
};

class CacheUpkeep {
 public:
  enum class Extent { to_limits, all };
  // Told for how long to do nothing: nginx may still be opening what was handed to it.
  using Wait = std::function<void(std::chrono::seconds)>;

  CacheUpkeep(const sys::Config& config, const sys::Clock& clock)
      : config_(config), clock_(clock) {}

  std::filesystem::path folder_of(CacheKind kind) const;

  // Throws sys::FileError; so do the others.
  CacheContent measure(CacheKind kind) const;
  // Removes the least recently used until the limits are kept, and what killed workers left behind.
  // Stray files stay.
  archive::Removed prune(CacheKind kind, Extent extent, const Wait& wait) const;
  // Reads every finished file to its end.
  std::vector<CacheFinding> verify(CacheKind kind) const;
  // Removes what is damaged: it is made anew when it is asked for.
  archive::Removed remove_damaged(CacheKind kind, const std::vector<CacheFinding>& findings,
                                  const Wait& wait) const;

 private:
  archive::CacheBounds bounds_of(CacheKind kind, Extent extent) const;
  archive::Removed remove(CacheKind kind, const std::vector<std::filesystem::path>& files,
                          const Wait& wait) const;

  const sys::Config& config_;
  const sys::Clock& clock_;
};

}  // namespace goldsmith::service
