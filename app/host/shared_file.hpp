// Files that processes of several users share (decision O19); they outlive each of the processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "app/base/file.hpp"

namespace goldsmith::host {

enum class OpenShared { create, existing };

// Opens a shared file for reading and writing. `create` first makes it, empty, mode 0660, if it
// does not exist. The file must be a regular one with a single name, which belongs to root or to
// this process' user and is not writable for everybody; links are not followed. So no user can make
// another one, or root, write to a file of their choice. Throws FileError.
base::UniqueFd open_shared(const std::filesystem::path& path, OpenShared mode);

// Replaces the content of a shared file, which is made if it does not exist. A reader may see a
// part. Throws FileError.
void write_shared(const std::filesystem::path& path, std::string_view bytes);

// A file that several processes map.
class SharedFile {
 public:
  using Open = OpenShared;

  // The layout of the file: its size, and the number that it starts with, in this host's order; its
  // upper 48 bits are those of all layouts of the same kind of file. During an upgrade processes of
  // two versions use the files, so a new layout needs a new name.
  struct Layout {
    std::uint64_t version = 0;
    std::size_t size = 0;
  };

  // Maps the file. `create` gives a new or empty file its content: zeros except for the version and
  // `start`, which follows it; so it does with one of the same kind that is damaged, for the
  // processes that have mapped it, too. The whole file has its room on the disk. Throws FileError;
  // with ENOENT if the file has no content yet, with EINVAL if it is something else.
  SharedFile(const std::filesystem::path& path, Open mode, Layout layout,
             std::string_view start = {});
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // Valid as long as this object.
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// A counting semaphore that the processes of a host share: a process holds one of its slots while
// it does what only so many may do at a time. A slot is a lock on one byte of a file, so that the
// kernel releases it when its holder ends in any way: there is nothing to clean up after a crash,
// and no count that could be wrong.
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
  base::UniqueFd file_;
  std::set<std::size_t> held_;  // by this process, which its own locks don't stop
};

}  // namespace goldsmith::host
