#include "app/archive/gzip.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "app/sys/file.hpp"

namespace goldsmith::archive {

GzipReader::GzipReader(int fd, const std::filesystem::path& path_for_messages) {
  sys::UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 3));  // gzclose closes it
  if (!own || ::lseek(own.get(), 0, SEEK_SET) != 0) {
    throw sys::FileError(path_for_messages, "can't be read from its beginning", errno);
  }
  file_.reset(::gzdopen(own.get(), "rb"));
  if (!file_) throw std::bad_alloc();
  own.release();
  ::gzbuffer(file_.get(), 64U << 10);
}

GzipReader::~GzipReader() = default;

void GzipReader::Close::operator()(gzFile_s* file) const { ::gzclose_r(file); }

std::size_t GzipReader::read(std::span<char> buffer) {
  const auto count = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 1U << 30));
  const int result = ::gzread(file_.get(), buffer.data(), count);
  int error = Z_OK;
  const char* text = ::gzerror(file_.get(), &error);
  // A truncated file gives what it has, and an error that only gzerror tells.
  if (result < 0 || (error != Z_OK && error != Z_STREAM_END)) {
    throw GzipError(std::string("gzip: ") + (text ? text : "no reason given"));
  }
  return static_cast<std::size_t>(result);
}

std::uint64_t GzipReader::position() const {
  const z_off_t position = ::gzoffset(file_.get());
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

}  // namespace goldsmith::archive
