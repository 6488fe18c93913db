#include "app/unpack/compressed_stream.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/base/file.hpp"
#include "app/unpack/unpack.hpp"

namespace goldsmith::unpack {

namespace {

// zlib checks the CRC at the end of the file; libarchive's own filter does not.
class GzipStream final : public CompressedStream {
 public:
  GzipStream(int fd, const std::filesystem::path& path) {
    base::UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 3));  // gzclose closes it
    if (!own || ::lseek(own.get(), 0, SEEK_SET) != 0) {
      throw base::FileError(path, "can't be read from its beginning", errno);
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

struct Filter {
  const char* name;
  std::string_view magic;
  int (*support)(::archive* handle);
};
constexpr Filter kFilters[] = {
    {"xz",
     "\xFD"
     "7zXZ",
     ::archive_read_support_filter_xz},
    {"bzip2", "BZh", ::archive_read_support_filter_bzip2},
    {"zstd", "\x28\xB5\x2F\xFD", ::archive_read_support_filter_zstd},
};

// What libarchive checks to the end.
class FilteredStream final : public CompressedStream {
 public:
  FilteredStream(int fd, const Filter& filter) : name_(filter.name) {
    ::archive_read_support_format_raw(handle_.get());
    filter.support(handle_.get());
    ::archive_entry* entry = nullptr;
    if (::archive_read_open_fd(handle_.get(), fd, kLibarchiveBlock) != ARCHIVE_OK ||
        ::archive_read_next_header(handle_.get(), &entry) != ARCHIVE_OK) {
      fail();
    }
  }

  std::size_t read(std::span<char> buffer) override {
    const la_ssize_t count = ::archive_read_data(handle_.get(), buffer.data(), buffer.size());
    if (count < 0) fail();
    return static_cast<std::size_t>(count);
  }

  std::uint64_t position() const override { return position_in_file(handle_); }

 private:
  [[noreturn]] void fail() const { throw RefusedEntry(name_ + ": " + error_of(handle_)); }

  std::string name_;
  ReadHandle handle_ = make_read_handle();
};

}  // namespace

std::string read_part(int fd, std::uint64_t offset, std::size_t count,
                      const std::filesystem::path& path) {
  std::string part(count, '\0');
  part.resize(archive::read_at({fd, offset, path}, part));
  return part;
}

bool starts_with(int fd, std::string_view magic, const std::filesystem::path& path) {
  return read_part(fd, 0, magic.size(), path) == magic;
}

std::unique_ptr<CompressedStream> CompressedStream::open(int fd,
                                                         const std::filesystem::path& path) {
  if (starts_with(fd, "\x1F\x8B", path)) return std::make_unique<GzipStream>(fd, path);
  for (const Filter& filter : kFilters) {
    if (starts_with(fd, filter.magic, path)) return std::make_unique<FilteredStream>(fd, filter);
  }
  return nullptr;
}

}  // namespace goldsmith::unpack
