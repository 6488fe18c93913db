// An upstream zip, rar, 7z, or tar, which may be packed as gz, xz, bz2 or zst, or one file alone,
// read from front to back.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/base/file.hpp"

namespace goldsmith::unpack {

struct UpstreamEntry {
  std::string name;  // as in the archive, untrusted; UTF-8 if the archive declares its encoding
  bool folder = false;
  bool executable = false;
  bool link = false;   // symbolic or hard; it has a defect, too
  std::string defect;  // why it is neither a usable file nor a folder; "" if it is one
};

class UpstreamArchive {
 public:
  // `file`: open for reading, a regular one. `number`: its place in the release, from 1, for
  // messages. `single`: its name, if it is no archive: then it is its only entry, whatever is in
  // it. Throws RefusedArchive if the file is neither, or an empty one.
  UpstreamArchive(base::UniqueFd file, std::size_t number, std::string single);
  ~UpstreamArchive();
  UpstreamArchive(const UpstreamArchive&) = delete;
  UpstreamArchive& operator=(const UpstreamArchive&) = delete;

  // Moves to the next entry; false at the end. Throws RefusedArchive if the archive is damaged.
  bool next();
  const UpstreamEntry& entry() const { return entry_; }

  // Fills `buffer` with the entry's next bytes; fewer only at its end. Throws RefusedEntry if
  // they are damaged.
  std::size_t read(std::span<char> buffer);

  // The offset reached in the archive file.
  std::uint64_t position() const;

 private:
  struct State;
  [[noreturn]] void fail(const std::string& reason) const;
  std::string why_unreadable(const std::string& reason) const;

  std::size_t number_;
  std::unique_ptr<State> state_;
  UpstreamEntry entry_;
};

// The bytes inside a .gz, .xz, .bz2 or .zst file, checked to the end. libarchive reads such files
// by itself, but never compares gzip's checksum, and stops before the checksum where a tar ends
// early.
class CompressedStream {
 public:
  virtual ~CompressedStream() = default;

  // Null if the file is none. The caller owns the descriptor, which must outlive the stream.
  static std::unique_ptr<CompressedStream> open(int fd, const std::filesystem::path& path);

  // Fills `buffer`; fewer bytes only at the end. Throws RefusedEntry if the file is damaged.
  virtual std::size_t read(std::span<char> buffer) = 0;

  // How many bytes of the file were consumed.
  virtual std::uint64_t position() const = 0;
};

// Small helpers around libarchive's C interface, for the sources of this layer only.
constexpr std::size_t kLibarchiveBlock = 64U << 10;

struct FreeReadHandle {
  void operator()(::archive* handle) const { ::archive_read_free(handle); }
};
using ReadHandle = std::unique_ptr<::archive, FreeReadHandle>;

inline ReadHandle make_read_handle() {
  ReadHandle handle(::archive_read_new());
  if (!handle) throw std::bad_alloc();
  return handle;
}

inline std::string error_of(const ReadHandle& handle) {
  const char* text = ::archive_error_string(handle.get());
  return text ? text : "no reason given";
}

inline std::uint64_t position_in_file(const ReadHandle& handle) {
  const la_int64_t position = ::archive_filter_bytes(handle.get(), -1);
  return position < 0 ? 0 : static_cast<std::uint64_t>(position);
}

// Recognises the kind of a file by its first bytes.
enum class Content {
  windows,  // PE: .exe, .dll, whatever the name
  mac,      // Mach-O, thin or universal
  program,  // ELF that the kernel can start: ET_EXEC, or ET_DYN with an interpreter
  script,   // "#!"
  other
};

// Enough for every header that linkers write.
constexpr std::size_t kSniffed = 64U << 10;

// `start`: the file's first kSniffed bytes, or all of a shorter one.
Content sniff(std::string_view start);

// How many bytes a library of 32-bit x86 has at least, by its headers; std::nullopt if the file is
// another one. `start` as above.
std::optional<std::uint64_t> library_size(std::string_view start);

}  // namespace goldsmith::unpack
