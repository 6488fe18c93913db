#include "app/unpack/compressed_stream.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/sys/file.hpp"
#include "app/unpack/libarchive.hpp"
#include "app/unpack/refusal.hpp"

namespace goldsmith::unpack {
namespace {

// zlib checks the CRC at the end of the file; libarchive's own filter does not.
class GzipStream final : public CompressedStream {
 public:
  GzipStream(int fd, const std::filesystem::path& path) {
    sys::UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 3));  // gzclose closes it
    if (!own || ::lseek(own.get(), 0, SEEK_SET) != 0) {
      throw sys::FileError(path, "can't be read from its beginning", errno);
    }
    file_.reset(::gzdopen(own.get(), "rb"));
    if (!file_) throw std::bad_alloc();
    own.release();
    ::gzbuffer(file_.get(), 64U << 10);
  }

  std::size_t read(std::span<char> buffer) override {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 1U << 30));
    const int result = ::gzread(file_.get(), buffer.data(), count);
    int error = Z_OK;
    const char* text = ::gzerror(file_.get(), &error);
    // A truncated file gives what it has, and an error that only gzerror tells.
    if (result < 0 || (error != Z_OK && error != Z_STREAM_END)) {
      throw RefusedEntry(std::string("gzip: ") + (text ? text : "no reason given"));
    }
    return static_cast<std::size_t>(result);
  }

  std::uint64_t position() const override {
    const z_off_t position = ::gzoffset(file_.get());
    return position < 0 ? 0 : static_cast<std::uint64_t>(position);
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { ::gzclose_r(file); }
  };
  std::unique_ptr<gzFile_s, Close> file_;
};

class XzStream final : public CompressedStream {
 public:
  explicit XzStream(int fd) {
    ::archive_read_support_format_raw(handle_.get());
    ::archive_read_support_filter_xz(handle_.get());
    ::archive_entry* entry = nullptr;
    if (::archive_read_open_fd(handle_.get(), fd, kLibarchiveBlock) != ARCHIVE_OK ||
        ::archive_read_next_header(handle_.get(), &entry) != ARCHIVE_OK) {
      throw RefusedEntry("xz: " + error_of(handle_));
    }
  }

  std::size_t read(std::span<char> buffer) override {
    const la_ssize_t count = ::archive_read_data(handle_.get(), buffer.data(), buffer.size());
    if (count < 0) throw RefusedEntry("xz: " + error_of(handle_));
    return static_cast<std::size_t>(count);
  }

  std::uint64_t position() const override { return position_in_file(handle_); }

 private:
  ReadHandle handle_ = make_read_handle();
};

bool starts_with(int fd, std::string_view magic, const std::filesystem::path& path) {
  std::string start(magic.size(), '\0');
  start.resize(archive::read_at({fd, 0, path}, start));
  return start == magic;
}

}  // namespace

std::unique_ptr<CompressedStream> CompressedStream::open(int fd,
                                                         const std::filesystem::path& path) {
  if (starts_with(fd, "\x1F\x8B", path)) return std::make_unique<GzipStream>(fd, path);
  if (starts_with(fd,
                  "\xFD"
                  "7zXZ",
                  path)) {
    return std::make_unique<XzStream>(fd);
  }
  return nullptr;
}

}  // namespace goldsmith::unpack
