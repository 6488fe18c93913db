// A file that several processes map: memory that outlives each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace goldsmith::sys {

class SharedFile {
 public:
  enum class Open { create, existing };

  // The layout of the file: its size, and the number that it starts with, in this host's order.
  struct Layout {
    std::uint64_t version = 0;
    std::size_t size = 0;
  };

  // Maps the file. `create` first creates it if it does not exist or has another layout: mode 0660,
  // published atomically, zeros except for the version and `start`, which follows it. Throws
  // FileError.
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

}  // namespace goldsmith::sys
