#include "app/sys/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "app/sys/file.hpp"

namespace goldsmith::sys {
namespace {

namespace fs = std::filesystem;

bool is_usable(int fd, const SharedFile::Layout& layout) {
  struct stat info {};
  std::uint64_t version = 0;
  return fstat(fd, &info) == 0 && info.st_size == static_cast<off_t>(layout.size) &&
         pread(fd, &version, sizeof version, 0) == sizeof version && version == layout.version;
}

bool write_start(int fd, const SharedFile::Layout& layout, std::string_view start) {
  return fchmod(fd, 0660) == 0 && ftruncate(fd, static_cast<off_t>(layout.size)) == 0 &&
         pwrite(fd, start.data(), start.size(), sizeof layout.version) ==
             static_cast<ssize_t>(start.size()) &&
         pwrite(fd, &layout.version, sizeof layout.version, 0) == sizeof layout.version;
}

// Writes a new file under a temporary name and renames it. If two processes do so at the same time,
// the first wins: `replace` is only for a file of another layout.
void make_file(const fs::path& path, const SharedFile::Layout& layout, std::string_view start,
               bool replace) {
  const fs::path temporary = path.string() + "." + std::to_string(getpid()) + ".new";
  const UniqueFd fd = open_file(temporary, O_RDWR | O_CREAT | O_TRUNC, 0660);
  const bool written = write_start(fd.get(), layout, start);
  const int failed = written ? 0 : errno;
  const bool placed =
      written && (replace ? rename(temporary.c_str(), path.c_str()) == 0
                          : link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int error_number = written ? errno : failed;
  unlink(temporary.c_str());
  if (!placed) throw FileError(path, "create the shared file", error_number);
}

void create_if_needed(const fs::path& path, const SharedFile::Layout& layout,
                      std::string_view start) {
  const UniqueFd present(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!present && errno != ENOENT) throw FileError(path, "open the shared file", errno);
  if (present && is_usable(present.get(), layout)) return;
  make_file(path, layout, start, static_cast<bool>(present));
}

}  // namespace

SharedFile::SharedFile(const fs::path& path, Open mode, Layout layout, std::string_view start)
    : size_(layout.size) {
  if (mode == Open::create) create_if_needed(path, layout, start);
  const UniqueFd fd = open_file(path, O_RDWR);
  if (!is_usable(fd.get(), layout)) {
    throw FileError(path, "use the shared file, which is of another version", EINVAL);
  }
  data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data_ == MAP_FAILED) throw FileError(path, "map the shared file", errno);
}

SharedFile::~SharedFile() { munmap(data_, size_); }

}  // namespace goldsmith::sys
