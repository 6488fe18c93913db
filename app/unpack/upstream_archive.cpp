#include "app/unpack/upstream_archive.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/base/encoding.hpp"
#include "app/base/file.hpp"
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

std::string read_part(int fd, std::uint64_t offset, std::size_t count,
                      const std::filesystem::path& path) {
  std::string part(count, '\0');
  part.resize(archive::read_at({fd, offset, path}, part));
  return part;
}

std::string start_of(int fd, std::size_t count, const std::filesystem::path& path) {
  return read_part(fd, 0, count, path);
}

bool starts_with(int fd, std::string_view magic, const std::filesystem::path& path) {
  return start_of(fd, magic.size(), path) == magic;
}

constexpr std::string_view kRar = "Rar!\x1A\x07";
constexpr const char* kRepack = "; unpack it, or repack it as a ZIP";
constexpr const char* kEncrypted = "is encrypted";

// A number of RAR 5: seven bits a byte, the lowest first. It is taken away from `bytes`; 0 at their
// end.
std::uint64_t take_rar_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

// Whether a record of encryption is among those of a file of RAR 5.
bool has_encryption(std::string_view records) {
  while (!records.empty()) {
    const std::uint64_t size = take_rar_number(records);
    std::string_view record = records.substr(0, size);
    records.remove_prefix(record.size());
    if (size == 0 || take_rar_number(record) == 1) return size != 0;
  }
  return false;
}

// Whether a file of a RAR 5 archive is encrypted: libarchive takes what is stored so for its
// content. What is damaged is left to it.
bool has_encrypted_file(int fd) {
  constexpr std::size_t kChecksum = 4;
  constexpr std::size_t kLongestHeader = 1U << 16;
  constexpr std::uint64_t kEnd = 5;
  std::uint64_t offset = kRar.size() + 2;
  for (;;) {
    const std::string block = read_part(fd, offset, kLongestHeader, "archive");
    if (block.size() <= kChecksum) return false;
    std::string_view rest = std::string_view(block).substr(kChecksum);
    const std::uint64_t size = take_rar_number(rest);
    if (size == 0 || size > rest.size()) return false;
    const std::uint64_t end = offset + (block.size() - rest.size()) + size;
    rest = rest.substr(0, size);
    const std::uint64_t kind = take_rar_number(rest);
    const std::uint64_t flags = take_rar_number(rest);
    const std::uint64_t added = (flags & 0x01U) != 0 ? take_rar_number(rest) : 0;
    const std::uint64_t data = (flags & 0x02U) != 0 ? take_rar_number(rest) : 0;
    if (kind == kEnd || added > rest.size() || data > UINT64_MAX - end) return false;
    if (kind == 2 && has_encryption(rest.substr(rest.size() - added))) return true;
    offset = end + data;
  }
}

// What libarchive has no words for, or none that are true; "" if it may read a RAR archive that
// begins so. The first header is that of the archive, or of its encryption.
std::string rar_defect(int fd) {
  constexpr const char* kVolume = "is a part of a RAR archive of several files";
  constexpr std::size_t kHeader = 64;
  const std::string header = start_of(fd, kHeader, "archive");
  std::string_view start = header;
  start.remove_prefix(std::min(start.size(), kRar.size()));
  if (start.starts_with('\0')) {  // RAR 4: a checksum, the kind, and flags
    constexpr std::size_t kFlags = 1 + 2 + 1;
    if (start.size() < kFlags + 2) return "";
    const auto flags = static_cast<unsigned char>(start[kFlags]);
    if ((flags & 0x80U) != 0) return kEncrypted;
    return (flags & 0x01U) != 0 ? kVolume : "";
  }
  start.remove_prefix(std::min<std::size_t>(start.size(), 2 + 4));  // the rest, a checksum
  take_rar_number(start);                                           // the size
  const std::uint64_t kind = take_rar_number(start);
  if (kind == 4) return kEncrypted;
  const std::uint64_t flags = take_rar_number(start);
  if ((flags & 0x01U) != 0) take_rar_number(start);  // the size of what is added
  if ((flags & 0x02U) != 0) take_rar_number(start);  // and of data
  if (kind == 1 && (take_rar_number(start) & 0x01U) != 0) return kVolume;
  return has_encrypted_file(fd) ? kEncrypted : "";
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
  const bool is_rar = state_->single.empty() && starts_with(state_->fd.get(), kRar, "archive");
  if (is_rar) {
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
    const bool is_rar = starts_with(state_->fd.get(), kRar, "archive");
    throw RefusedEntry((is_rar ? "its data is damaged, or packed in a way that can't be read: "
                               : "its data is damaged: ") +
                       error_of(state_->handle) + (is_rar ? kRepack : ""));
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
  if (!starts_with(state_->fd.get(), kRar, "archive")) {
    return "is damaged, or no zip, rar, 7z or tar archive (" + reason + ")";
  }
  // libarchive names it before it has told that an entry is.
  if (reason.find("ncrypt") != std::string::npos) return std::string(kEncrypted) + kRepack;
  return "is damaged, or packed in a way that can't be read (" + reason + ")" + kRepack;
}

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

std::unique_ptr<CompressedStream> CompressedStream::open(int fd,
                                                         const std::filesystem::path& path) {
  if (starts_with(fd, "\x1F\x8B", path)) return std::make_unique<GzipStream>(fd, path);
  for (const Filter& filter : kFilters) {
    if (starts_with(fd, filter.magic, path)) return std::make_unique<FilteredStream>(fd, filter);
  }
  return nullptr;
}

namespace {

// Bounds-checked numbers of either byte order; 0 beyond the end.
class Header {
 public:
  Header(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}

  std::uint64_t number(std::uint64_t offset, std::size_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = offset + (little_ ? size - 1 - i : i);
      value = value << 8U | static_cast<unsigned char>(bytes_[at]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool little_;
};

// "MZ" alone could begin a text; the PE header that it points to can't.
bool is_pe(std::string_view start) {
  if (!start.starts_with("MZ")) return false;
  const std::uint64_t header = Header(start, true).number(0x3C, 4);
  return header < start.size() && start.substr(header, 4) == std::string_view("PE\0\0", 4);
}

bool is_thin_mach_o(std::string_view start) {
  const std::uint64_t magic = Header(start, false).number(0, 4);
  const bool big = magic == 0xFEED'FACE || magic == 0xFEED'FACF;
  const bool little = magic == 0xCEFA'EDFE || magic == 0xCFFA'EDFE;
  const std::uint64_t file_type = Header(start, little).number(12, 4);
  return (big || little) && file_type >= 1 && file_type <= 12;
}

// Java classes have the same magic; their next number is a version of at least 45.
bool is_universal_mach_o(std::string_view start) {
  const Header header(start, false);
  const std::uint64_t magic = header.number(0, 4);
  const std::uint64_t architectures = header.number(4, 4);
  return (magic == 0xCAFE'BABE || magic == 0xCAFE'BABF) && architectures >= 1 && architectures < 45;
}

bool has_interpreter(const Header& header, bool wide) {
  const std::uint64_t table = wide ? header.number(32, 8) : header.number(28, 4);
  const std::uint64_t size = header.number(wide ? 54 : 42, 2);
  const std::uint64_t count = header.number(wide ? 56 : 44, 2);
  if (table > kSniffed) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (header.number(table + i * size, 4) == PT_INTERP) return true;
  }
  return false;
}

bool is_elf_program(std::string_view start) {
  if (!start.starts_with(std::string_view(ELFMAG, SELFMAG)) || start.size() < sizeof(Elf32_Ehdr)) {
    return false;
  }
  const Header header(start, start[EI_DATA] == ELFDATA2LSB);
  const std::uint64_t type = header.number(16, 2);
  return type == ET_EXEC ||
         (type == ET_DYN && has_interpreter(header, start[EI_CLASS] == ELFCLASS64));
}

}  // namespace

std::optional<std::uint64_t> library_size(std::string_view start) {
  if (!start.starts_with(std::string_view(ELFMAG, SELFMAG)) || start.size() < sizeof(Elf32_Ehdr) ||
      start[EI_CLASS] != ELFCLASS32 || start[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  const Header header(start, true);
  if (header.number(16, 2) != ET_DYN || header.number(18, 2) != EM_386) return std::nullopt;
  const std::uint64_t segments = header.number(28, 4);
  const std::uint64_t segment_size = header.number(42, 2);
  const std::uint64_t segment_count = header.number(44, 2);
  const std::uint64_t sections_end =
      header.number(32, 4) + header.number(46, 2) * header.number(48, 2);
  std::uint64_t size = std::max(segments + segment_size * segment_count, sections_end);
  for (std::uint64_t i = 0; i < segment_count; ++i) {
    const std::uint64_t segment = segments + i * segment_size;
    size = std::max(size, header.number(segment + 4, 4) + header.number(segment + 16, 4));
  }
  return size;
}

Content sniff(std::string_view start) {
  if (is_pe(start)) return Content::windows;
  if (is_thin_mach_o(start) || is_universal_mach_o(start)) return Content::mac;
  if (is_elf_program(start)) return Content::program;
  return start.starts_with("#!") ? Content::script : Content::other;
}

}  // namespace goldsmith::unpack
