// Exclusive work on a depot, in temporary folders that are cleaned up after a killed process.
#pragma once

#include <filesystem>
#include <optional>

#include "app/sys/file.hpp"

namespace goldsmith::archive {

// Takes an exclusive flock(2) on `fd`, which is open at `path`; waits for whoever has it. Throws
// sys::FileError and, if a signal arrives while it waits, sys::Interrupted.
void lock_interruptibly(int fd, const std::filesystem::path& path);

// Locks the depot until destruction; others wait. Creates its folder if it is missing. Throws
// sys::FileError and, if a signal arrives while it waits, sys::Interrupted.
class DepotLock {
 public:
  explicit DepotLock(const std::filesystem::path& root);

 private:
  sys::UniqueFd fd_;
};

// A folder on the depot's file system, removed on destruction. It is locked while its
// process lives; an unlocked one was left behind by a killed process, and is removed.
class DepotWorkspace {
 public:
  // The lock is needed only during construction.
  DepotWorkspace(const std::filesystem::path& root, const DepotLock& lock);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  sys::TempDir folder_;
  sys::UniqueFd fd_;
};

}  // namespace goldsmith::archive
