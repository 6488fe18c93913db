#include "app/unpack/upstream_archive.hpp"

#include <cerrno>

#include "app/sys/utf8_locale.hpp"
#include "app/unpack/compressed_stream.hpp"
#include "app/unpack/libarchive.hpp"
#include "app/unpack/refusal.hpp"

namespace goldsmith::unpack {
namespace {

// Packers fill the last record of a tar with zeros: 10 KiB by default, rarely more.
constexpr std::uint64_t kMaxTailSize = 1U << 20;

// ZIP by its central directory only: a reader that follows the stream would accept a truncated one.
ReadHandle make_handle() {
  ReadHandle handle = make_read_handle();
  ::archive_read_support_format_zip_seekable(handle.get());
  ::archive_read_support_format_tar(handle.get());
  ::archive_read_support_format_7zip(handle.get());
  return handle;
}

std::string defect_of(::archive_entry* entry) {
  if (::archive_entry_hardlink(entry)) return "it is a hard link";
  if (::archive_entry_is_encrypted(entry)) return "it is encrypted";
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return {};
    case AE_IFLNK:
      return "it is a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "it is a device";
    default:
      return "it is neither a file nor a folder";
  }
}

}  // namespace

// A compressed tar is unpacked here, and libarchive sees the tar in it.
struct UpstreamArchive::State {
  static la_ssize_t read_block(::archive* handle, void* self, const void** block);
  int open();
  void drain();

  sys::UniqueFd fd;
  const sys::Utf8Locale utf8;
  std::unique_ptr<CompressedStream> compressed;
  std::string block;
  ReadHandle handle = make_handle();
};

la_ssize_t UpstreamArchive::State::read_block(::archive* handle, void* self, const void** block) {
  auto* state = static_cast<State*>(self);
  try {
    *block = state->block.data();
    return static_cast<la_ssize_t>(state->compressed->read(state->block));
  } catch (const RefusedEntry& refusal) {  // no exception may pass through C
    ::archive_set_error(handle, EIO, "%s", refusal.what());
    return ARCHIVE_FATAL;
  }
}

int UpstreamArchive::State::open() {
  compressed = CompressedStream::open(fd.get(), "archive");
  if (!compressed) return ::archive_read_open_fd(handle.get(), fd.get(), kLibarchiveBlock);
  block.resize(kLibarchiveBlock);
  return ::archive_read_open(handle.get(), this, nullptr, read_block, nullptr);
}

// A checksum at the end covers everything before it, and is compared only when it is reached.
void UpstreamArchive::State::drain() {
  if (!compressed) return;
  std::uint64_t tail = 0;
  while (const std::size_t count = compressed->read(block)) {
    tail += count;
    if (tail > kMaxTailSize) throw RefusedEntry("has data behind the end of its tar");
  }
}

UpstreamArchive::UpstreamArchive(sys::UniqueFd file, std::size_t number)
    : number_(number), state_(std::make_unique<State>()) {
  state_->fd = std::move(file);
  try {
    if (state_->open() != ARCHIVE_OK) fail(error_of(state_->handle));
  } catch (const RefusedEntry& refusal) {
    fail(refusal.what());
  }
}

UpstreamArchive::~UpstreamArchive() = default;

bool UpstreamArchive::next() {
  ::archive_entry* raw = nullptr;
  const int result = ::archive_read_next_header(state_->handle.get(), &raw);
  if (result == ARCHIVE_EOF) {
    try {
      state_->drain();
    } catch (const RefusedEntry& refusal) {
      fail(refusal.what());
    }
    return false;
  }
  if (result != ARCHIVE_OK) fail(error_of(state_->handle));  // a warning: libarchive had to guess
  const char* name = ::archive_entry_pathname(raw);
  entry_.name = name ? name : "";
  entry_.folder = ::archive_entry_filetype(raw) == AE_IFDIR;
  entry_.executable = (::archive_entry_perm(raw) & 0111) != 0;
  entry_.defect = defect_of(raw);
  return true;
}

std::size_t UpstreamArchive::read(std::span<char> buffer) {
  const la_ssize_t count = ::archive_read_data(state_->handle.get(), buffer.data(), buffer.size());
  if (count < 0) throw RefusedEntry("its data is damaged: " + error_of(state_->handle));
  return static_cast<std::size_t>(count);
}

std::uint64_t UpstreamArchive::position() const {
  return state_->compressed ? state_->compressed->position() : position_in_file(state_->handle);
}

void UpstreamArchive::fail(const std::string& reason) const {
  throw RefusedArchive(number_,
                       "is damaged, or no zip, tar.gz, tar.xz or 7z archive (" + reason + ")");
}

}  // namespace goldsmith::unpack
