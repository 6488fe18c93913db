// Finished server archives, `<root>/<build hash>.zip`. Among all processes of a host, one at a time
// builds a given archive.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/domain/permit.hpp"

namespace goldsmith::archive {

// A file given as bytes: generated, edited, or part of a plugin. Stored, not deflated, so that the
// archive does not depend on the host's zlib.
struct InlineEntry {
  std::string path;
  std::string content;
  bool executable = false;
};

// What one server archive is made of.
struct Recipe {
  // Entries copied from one file of the depot.
  struct DepotFile {
    std::filesystem::path zip;
    std::vector<std::string> paths;  // in any order
    // The digest that the build hash was computed from. ZipError if the depot file has another one,
    // because its version was mirrored again since: no archive gets a wrong hash. "" = any digest.
    std::string digest = {};
  };
  std::string build_hash;  // 64 hex digits; also the archive's comment
  std::vector<DepotFile> depot_files;
  std::vector<InlineEntry> inline_entries;
};

// Writes the archive to `fd` (see ZipWriter): the entries of each depot file, unchanged and in its
// order, then the inline entries by path, then a new central directory. Throws ZipError if a depot
// file is damaged or lacks a path, and sys::FileError.
void write_archive(const Recipe& recipe, int fd, const std::filesystem::path& path_for_messages);

// The modification time of an archive, in seconds since 1970: always in the past and derived from
// the hash alone. nginx computes its ETag from it and the size, so equal builds have equal tags on
// every host (decision R11).
std::int64_t modification_time(std::string_view build_hash);

// The ZIP comment of every archive; it names the build hash.
std::string archive_comment(std::string_view build_hash);

// The build hash in the name of a finished archive; std::nullopt for any other name.
std::optional<std::string> build_hash_of(const std::filesystem::path& file);

// Reads a finished archive completely. Throws ZipError if it is damaged or if its name is not that
// of its build hash, and sys::FileError.
void verify_archive(const std::filesystem::path& file);

// What a cache may take of its disk (decision S18).
struct CacheRoom {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t free_bytes = 0;       // of the disk, that stay free
  std::chrono::seconds handover{10};  // since an archive was handed out, in which it stays
};

class ArchiveCache {
 public:
  explicit ArchiveCache(std::filesystem::path root, const CacheRoom& room = {})
      : root_(std::move(root)), room_(room) {}

  // False if the folder does not exist or is not writable.
  bool available() const;
  // Throws std::invalid_argument unless `build_hash` is 64 lower-case hex digits.
  std::filesystem::path file_of(std::string_view build_hash) const;

  // Marks the archive as used and returns its size in bytes; std::nullopt if it does not exist. It
  // then stays for at least the handover time of ArchiveRemoval, so that nginx can open it. Throws
  // sys::FileError.
  std::optional<std::uint64_t> hand_out(std::string_view build_hash) const;

  enum class Source { cached, built };
  // Not even with all gone that may go there is room for the archive (decision S18).
  struct NoRoom {
    std::string cause;  // for the log, never for a client

    friend bool operator==(const NoRoom&, const NoRoom&) = default;
  };
  // Where the archive came from, or the limit that refused to build it or to wait for it.
  using Ensured = std::variant<Source, domain::RateLimited, NoRoom>;

  // Asked by a caller before it waits for another's build, and by the one that builds, with the
  // archive's size; the place is held meanwhile. Empty = there is always one.
  struct Turns {
    std::function<domain::Turn()> wait;
    std::function<domain::Turn(std::uint64_t bytes)> build;
  };

  // Hands the archive out, and builds it first if it does not exist: one caller among all processes
  // builds it, the others wait for it. Only the caller that builds asks `may_build`, once and
  // before anything is removed or written. Room is made first: the least recently used archives go,
  // but none that was handed out within CacheRoom::handover or is being read. A failed build throws
  // and leaves no file; the next builder takes over `<hash>.zip.part` of a killed one. Throws
  // MissingDepotFile, before `may_build` is asked, and as write_archive does.
  Ensured ensure(const Recipe& recipe, const domain::Permit& may_build,
                 const Turns& turns = {}) const;

 private:
  class PartFile;

  Ensured build(const Recipe& recipe, PartFile& part, const domain::Permit& may_build,
                const Turns& turns) const;
  // std::nullopt = reserved.
  std::optional<Ensured> reserve(std::uint64_t bytes, PartFile& part,
                                 const domain::Permit& may_build) const;

  std::filesystem::path root_;
  CacheRoom room_;
};

}  // namespace goldsmith::archive
