#include "app/unpack/upstream_archive.hpp"

#include <elf.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "app/base/encoding.hpp"
#include "app/base/file.hpp"
#include "app/unpack/compressed_stream.hpp"
#include "app/unpack/rar.hpp"
#include "app/unpack/unpack.hpp"

namespace goldsmith::unpack {

namespace {

// Packers fill the last record of a tar with zeros: 10 KiB by default, rarely more.
constexpr std::uint64_t kMaxTailSize = 1U << 20;

// ZIP by its central directory only: a reader that follows the stream would accept a truncated one.
ReadHandle make_handle(bool is_single) {
  ReadHandle handle = make_read_handle();
  if (is_single) {
    ::archive_read_support_format_raw(handle.get());
    return handle;
  }
  ::archive_read_support_format_zip_seekable(handle.get());
  ::archive_read_support_format_tar(handle.get());
  ::archive_read_support_format_7zip(handle.get());
  ::archive_read_support_format_rar(handle.get());
  ::archive_read_support_format_rar5(handle.get());
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
  State(base::UniqueFd file, std::string name)
      : fd(std::move(file)), single(std::move(name)), handle(make_handle(!single.empty())) {}

  static la_ssize_t read_block(::archive* handle, void* self, const void** block);
  int open();
  void drain();

  base::UniqueFd fd;
  std::string single;  // "" = an archive
  const base::Utf8Locale utf8;
  std::unique_ptr<CompressedStream> compressed;
  std::string block;
  ReadHandle handle;
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
  if (single.empty()) compressed = CompressedStream::open(fd.get(), "archive");
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

UpstreamArchive::UpstreamArchive(base::UniqueFd file, std::size_t number, std::string single)
    : number_(number), state_(std::make_unique<State>(std::move(file), std::move(single))) {
  const bool has_rar = state_->single.empty() && is_rar(state_->fd.get());
  if (has_rar) {
    const std::string defect = rar_defect(state_->fd.get());
    if (!defect.empty()) throw RefusedArchive(number_, defect + kRepack);
  }
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
  const std::string& single = state_->single;
  const char* name = single.empty() ? ::archive_entry_pathname(raw) : single.c_str();
  entry_.name = name ? name : "";
  entry_.folder = ::archive_entry_filetype(raw) == AE_IFDIR;
  entry_.executable = (::archive_entry_perm(raw) & 0111) != 0;
  entry_.link = ::archive_entry_hardlink(raw) || ::archive_entry_filetype(raw) == AE_IFLNK;
  entry_.defect = defect_of(raw);
  return true;
}

std::size_t UpstreamArchive::read(std::span<char> buffer) {
  const la_ssize_t count = ::archive_read_data(state_->handle.get(), buffer.data(), buffer.size());
  if (count < 0) {
    const bool has_rar = is_rar(state_->fd.get());
    throw RefusedEntry((has_rar ? "its data is damaged, or packed in a way that can't be read: "
                                : "its data is damaged: ") +
                       error_of(state_->handle) + (has_rar ? kRepack : ""));
  }
  return static_cast<std::size_t>(count);
}

std::uint64_t UpstreamArchive::position() const {
  return state_->compressed ? state_->compressed->position() : position_in_file(state_->handle);
}

void UpstreamArchive::fail(const std::string& reason) const {
  if (!state_->single.empty()) throw RefusedArchive(number_, "is empty (" + reason + ")");
  if (starts_with(state_->fd.get(), ELFMAG, "archive")) {
    throw RefusedArchive(number_,
                         "is no archive but a program or library, and no \"file\" of install.map "
                         "says where a file of that name goes");
  }
  throw RefusedArchive(number_, why_unreadable(reason));
}

std::string UpstreamArchive::why_unreadable(const std::string& reason) const {
  if (!is_rar(state_->fd.get())) {
    return "is damaged, or no zip, rar, 7z or tar archive (" + reason + ")";
  }
  // libarchive names it before it has told that an entry is.
  if (reason.find("ncrypt") != std::string::npos) return std::string(kEncrypted) + kRepack;
  return "is damaged, or packed in a way that can't be read (" + reason + ")" + kRepack;
}

}  // namespace goldsmith::unpack
