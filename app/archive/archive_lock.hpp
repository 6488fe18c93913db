// How builders of an archive and those who remove it keep out of each other's way. Private to
// app/archive/.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace goldsmith::archive {

// flock(2), exclusively, however long that takes. Throws sys::FileError.
void lock_file(int fd, const std::filesystem::path& path);
// The same without waiting; false when another process holds it.
bool try_lock_file(int fd, const std::filesystem::path& path);

// True while the path names the file that `fd` is open on. Throws sys::FileError.
bool is_named(int fd, const std::filesystem::path& path);

// A retired archive is no longer handed out, but still there for those who have its name. Not even
// its owner may write to it, which nobody does: that is how it is told from others.
constexpr mode_t kRetiredMode = 0444;
inline bool is_retired(const struct stat& status) { return (status.st_mode & S_IWUSR) == 0; }

}  // namespace goldsmith::archive
