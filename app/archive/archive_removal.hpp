// Removing archives from under workers that hand them out and an nginx that serves them.
//
// nginx opens an archive shortly after a worker has told it the name, and does not report back. So
// a recently handed out archive is retired first: workers treat it as missing and build it again,
// nginx still finds it. It is removed when the handover time is over. Downloads in progress
// continue after the removal.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace goldsmith::archive {

struct Removed {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

  Removed& operator+=(const Removed& more) {
    files += more.files;
    bytes += more.bytes;
    return *this;
  }
};

class ArchiveRemoval {
 public:
  // `handover`: how long nginx may take to open an archive.
  explicit ArchiveRemoval(std::chrono::seconds handover) : handover_(handover) {}

  // Removes the archive, or retires it if it was handed out within the last `handover`. Leaves an
  // archive that is being published. Throws sys::FileError.
  void begin(const std::filesystem::path& archive);
  // How long to wait before finish(); 0 if nothing was retired.
  std::chrono::seconds time_to_wait() const;
  // Removes the retired archives that were not built again since. Throws sys::FileError.
  void finish();

  const Removed& removed() const { return removed_; }

 private:
  void remove(const std::filesystem::path& archive, std::uint64_t bytes);

  std::chrono::seconds handover_;
  std::vector<std::filesystem::path> retired_;
  Removed removed_;
};

// Removes an archive that was not handed out within the last `handover` and that nobody reads, such
// as nginx for a slow client. False if it stays, is being published or is gone. Throws
// sys::FileError.
bool remove_if_idle(const std::filesystem::path& archive, std::chrono::seconds handover);

// Removes a partial archive (`.part`) whose builder was killed. False if it does not exist or is
// being built. Throws sys::FileError.
bool remove_abandoned_part(const std::filesystem::path& part);

}  // namespace goldsmith::archive
