// Working on a depot: one at a time, in folders that a killed process does not leave for long.
#pragma once

#include <filesystem>
#include <optional>

#include "app/sys/file.hpp"

namespace goldsmith::service {

// The depot to itself, until destruction; others wait. Its folder is made when it is missing.
// Throws sys::FileError and, when a signal comes while it waits, sys::Interrupted.
class DepotLock {
 public:
  explicit DepotLock(const std::filesystem::path& root);

 private:
  sys::UniqueFd fd_;
};

// A folder on the depot's file system, removed on destruction. It is locked as long as its process
// lives: what is found unlocked was left behind by one that was killed, and is removed.
class DepotWorkspace {
 public:
  // The lock is needed for making it only.
  DepotWorkspace(const std::filesystem::path& root, const DepotLock& lock);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  sys::TempDir folder_;
  sys::UniqueFd fd_;
};

}  // namespace goldsmith::service
