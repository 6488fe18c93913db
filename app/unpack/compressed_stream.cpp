#include "app/unpack/compressed_stream.hpp"

#include <string>
#include <string_view>

#include "app/archive/gzip.hpp"
#include "app/archive/io.hpp"
#include "app/unpack/libarchive.hpp"
#include "app/unpack/refusal.hpp"

namespace goldsmith::unpack {
namespace {

class GzipStream final : public CompressedStream {
 public:
  GzipStream(int fd, const std::filesystem::path& path) : reader_(fd, path) {}

  std::size_t read(std::span<char> buffer) override {
    try {
      return reader_.read(buffer);
    } catch (const archive::GzipError& error) {
      throw RefusedEntry(error.what());
    }
  }

  std::uint64_t position() const override { return reader_.position(); }

 private:
  archive::GzipReader reader_;
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
