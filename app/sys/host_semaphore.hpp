// A counting semaphore that the processes of a host share: a process holds one of its slots while
// it does what only so many may do at a time. A slot is a lock on one byte of a file, so that the
// kernel releases it when its holder ends in any way: there is nothing to clean up after a crash,
// and no count that could be wrong.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "app/sys/file.hpp"

namespace goldsmith::sys {

class HostSemaphore {
 public:
  // A slot that this process holds; released on destruction. Must not outlive its semaphore.
  class Hold {
   public:
    Hold(Hold&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr)), at_(other.at_) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (semaphore_) semaphore_->release(at_);
    }

   private:
    friend class HostSemaphore;
    Hold(HostSemaphore& semaphore, std::size_t at) : semaphore_(&semaphore), at_(at) {}

    HostSemaphore* semaphore_;
    std::size_t at_;
  };

  // At most this many slots in a row.
  static constexpr std::size_t kMost = 1024;

  // Makes the file if it does not exist (open_shared()). Throws FileError.
  explicit HostSemaphore(const std::filesystem::path& file);

  // One of the first `count` slots (at most kMost) of a row; std::nullopt if all are held. Rows are
  // numbered from 0 and count independently of each other. Does not wait. Throws FileError.
  std::optional<Hold> try_acquire(std::size_t row, std::size_t count);

 private:
  bool lock(std::size_t at, short type) const;
  void release(std::size_t at);

  std::filesystem::path path_;
  UniqueFd file_;
  std::set<std::size_t> held_;  // by this process, which its own locks don't stop
};

}  // namespace goldsmith::sys
