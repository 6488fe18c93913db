// Keeps a folder of many small files within a size (decision S18): room is made before one is
// added.
#pragma once

#include <cstdint>
#include <filesystem>

#include "app/sys/shared_file.hpp"

namespace goldsmith::service {

class FolderBudget {
 public:
  struct Bounds {
    std::uint64_t bytes = 0;       // that the files may have together
    std::uint64_t free_bytes = 0;  // of the disk, that stay free
    // Which files may go.
    bool (*is_removable)(const std::filesystem::path& file) = nullptr;
  };

  // All processes that add files share the sum of their sizes in the file `shared`, which is made
  // where it is missing, so that the folder need not be listed each time. Throws sys::FileError.
  FolderBudget(std::filesystem::path folder, const std::filesystem::path& shared,
               const Bounds& bounds);

  // Makes room for a file of `bytes` that is about to be added; the least recently used files go.
  // False when there is none to be made: then it must not be added. The folder must be there.
  // Removes files that another process may just be reading, which then has read all of them or
  // finds them missing. Throws sys::FileError.
  bool make_room(std::uint64_t bytes);

 private:
  struct Shared;

  Shared& shared() const;
  bool has_free_space(std::uint64_t bytes) const;
  bool evict(std::uint64_t bytes);

  std::filesystem::path folder_;
  Bounds bounds_;
  sys::SharedFile file_;
};

}  // namespace goldsmith::service
