// The small file that all workers of a host and the operator's command map (`state`, by default
// /run/goldsmith/state): the generation counter (see freshness.hpp) and the counters of the rate
// limits. Lock-free, so that a worker that dies blocks nobody; the file outlives the workers, so
// that limits survive a crash and a restart of the service.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "app/sys/shared_file.hpp"
#include "db/window_store.hpp"

namespace goldsmith::access {

class SharedState {
 public:
  using Open = sys::SharedFile::Open;

  // Throws as sys::SharedFile.
  SharedState(const std::filesystem::path& path, Open mode);

  // Incremented after every change that is made on this host; see freshness.hpp.
  std::uint64_t generation() const;
  void bump_generation();

  // Incremented for every download that is counted on this host.
  std::uint64_t downloads() const;
  void bump_downloads();

  // Counts one for `subject` in the window that ends at `window_end` (seconds since the epoch)
  // unless `limit` is reached. Subject and window length together name a bucket. If there is
  // no room, one that has counted little is forgotten; those of addresses never displace others. If
  // the bucket is in the next window already, that one counts.
  db::WindowCount take(std::string_view subject, std::int64_t window_seconds,
                       std::int64_t window_end, std::int64_t limit, std::int64_t now);
  // The count that take() would find, without counting.
  std::int64_t used(std::string_view subject, std::int64_t window_seconds,
                    std::int64_t window_end) const;

 private:
  struct Layout;
  std::uint64_t tag_of(std::string_view subject, std::int64_t window_seconds) const;

  sys::SharedFile file_;
  Layout* layout_;
};

}  // namespace goldsmith::access
