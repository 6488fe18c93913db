#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"

namespace goldsmith::archive {

StreamedFile streamed(const MemoryFile& file) {
  return {file.path, file.content.size(), file.executable, [&file] { return file.content; }};
}

void add_sorted(ZipWriter& writer, const std::vector<StreamedFile>& files, Method method) {
  std::vector<const StreamedFile*> sorted;
  sorted.reserve(files.size());
  for (const StreamedFile& file : files) sorted.push_back(&file);
  std::sort(sorted.begin(), sorted.end(), [](const StreamedFile* left, const StreamedFile* right) {
    return left->path < right->path;
  });
  for (const StreamedFile* file : sorted) {
    const std::string content = file->read();
    if (content.size() != file->size) {
      throw ZipError(file->path + ": has " + std::to_string(content.size()) + " bytes instead of " +
                     std::to_string(file->size));
    }
    writer.add(file->path, content, file->executable, method);
  }
}

std::uint64_t write_zip(int fd, const std::filesystem::path& path_for_messages,
                        const std::vector<StreamedFile>& files) {
  ZipWriter writer(fd, path_for_messages);
  add_sorted(writer, files, Method::deflated);
  writer.finish();
  return writer.bytes_written();
}

std::string zip_in_memory(const std::vector<MemoryFile>& files) {
  const std::filesystem::path name = "archive in memory";
  const sys::UniqueFd fd(::memfd_create("goldsmith-zip", MFD_CLOEXEC));
  if (!fd) throw sys::FileError(name, "can't be created", errno);
  std::vector<StreamedFile> entries;
  for (const MemoryFile& file : files) entries.push_back(streamed(file));
  std::string bytes(write_zip(fd.get(), name, entries), '\0');
  read_at({fd.get(), 0, name}, bytes);
  return bytes;
}

}  // namespace goldsmith::archive
