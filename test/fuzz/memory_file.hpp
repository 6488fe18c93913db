// A file in memory, for what reads files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#include "app/base/file.hpp"

namespace goldsmith::fuzz {

inline base::UniqueFd memory_file(std::string_view content = "") {
  base::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  base::write_all(fd.get(), content, "memory");
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

inline std::string content_of(const base::UniqueFd& fd) {
  ::lseek(fd.get(), 0, SEEK_SET);
  return base::read_file(fd, "memory", 64U << 20);
}

}  // namespace goldsmith::fuzz
