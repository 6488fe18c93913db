#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"

namespace goldsmith::archive {

void add_sorted(ZipWriter& writer, const std::vector<MemoryFile>& files, Method method) {
  std::vector<const MemoryFile*> sorted;
  sorted.reserve(files.size());
  for (const MemoryFile& file : files) sorted.push_back(&file);
  std::sort(sorted.begin(), sorted.end(), [](const MemoryFile* left, const MemoryFile* right) {
    return left->path < right->path;
  });
  for (const MemoryFile* file : sorted) {
    writer.add(file->path, file->content, file->executable, method);
  }
}

std::string zip_in_memory(const std::vector<MemoryFile>& files) {
  const std::filesystem::path name = "archive in memory";
  const sys::UniqueFd fd(::memfd_create("goldsmith-zip", MFD_CLOEXEC));
  if (!fd) throw sys::FileError(name, "can't be created", errno);
  ZipWriter writer(fd.get(), name);
  add_sorted(writer, files, Method::deflated);
  writer.finish();

  std::string bytes(writer.bytes_written(), '\0');
  read_at({fd.get(), 0, name}, bytes);
  return bytes;
}

}  // namespace goldsmith::archive
