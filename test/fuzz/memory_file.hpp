// A file in memory, for what reads files.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#include "app/sys/file.hpp"

namespace goldsmith::fuzz {

inline sys::UniqueFd memory_file(std::string_view content = "") {
  sys::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  sys::write_all(fd.get(), content, "memory");
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

inline std::string content_of(const sys::UniqueFd& fd) {
  ::lseek(fd.get(), 0, SEEK_SET);
  return sys::read_file(fd, "memory", 64U << 20);
}

}  // namespace goldsmith::fuzz
