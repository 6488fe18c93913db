// Removing archives from under workers that hand them out and an nginx that serves them.
//
// nginx opens an archive a moment after a worker told it the name, and nobody tells the worker that
// it did. So an archive that was handed out lately is retired first: workers take it for missing
// and build it anew, nginx still finds it. Once the time that nginx has is over it is removed. A
// download that has begun goes on whatever happens to the name.
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
  // `handover` is the time that nginx has.
  explicit ArchiveRemoval(std::chrono::seconds handover) : handover_(handover) {}

  // Removes the archive if it was not handed out within the last `handover`, else retires it; one
  // that is just being published stays. Throws sys::FileError.
  void begin(const std::filesystem::path& archive);
  // How long to wait, from now on, before finish().
  std::chrono::seconds time_to_wait() const;
  // Removes what was retired and not built anew since. Throws sys::FileError.
  void finish();

  const Removed& removed() const { return removed_; }

 private:
  void remove(const std::filesystem::path& archive, std::uint64_t bytes);

  std::chrono::seconds handover_;
  std::vector<std::filesystem::path> retired_;
  Removed removed_;
};

// Removes a `.part` whose builder was killed. False when it is gone or being built.
bool remove_abandoned_part(const std::filesystem::path& part);

}  // namespace goldsmith::archive
