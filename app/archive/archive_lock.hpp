// Locks and marks by which builders and removers of cached files stay out of each other's way.
#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "app/sys/file.hpp"

namespace goldsmith::archive {

// Takes an exclusive flock(2) on `fd`; waits without a limit. Throws sys::FileError.
void lock_file(int fd, const std::filesystem::path& path);
// Takes that lock without waiting; false if another process holds it. Throws sys::FileError.
bool try_lock_file(int fd, const std::filesystem::path& path);

// Takes the lock of a cache's folder; see CacheFolder::lock(). Throws sys::FileError.
sys::UniqueFd lock_folder(const std::filesystem::path& folder);

// True if `path` still names the file that `fd` has open. Throws sys::FileError.
bool is_named(int fd, const std::filesystem::path& path);

// A retired archive can no longer be acquired, but still exists for requests that already have its
// name. Its mode marks it: no other archive lacks the owner's write permission.
constexpr mode_t kRetiredMode = 0444;
inline bool is_retired(const struct stat& status) { return (status.st_mode & S_IWUSR) == 0; }

}  // namespace goldsmith::archive
