// Finished server archives, `<root>/<build hash>.zip`, built at most once at a time across
// processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/domain/permit.hpp"

namespace goldsmith::archive {

// A file that is given as bytes: generated, edited, or of a plugin. Stored, not deflated, so that
// the archive does not depend on the host's zlib.
struct InlineEntry {
  std::string path;
  std::string content;
  bool executable = false;
};

// What one server archive is made of; `paths` of a part are taken from its depot ZIP.
struct Recipe {
  struct Part {
    std::filesystem::path zip;
    std::vector<std::string> paths;  // in any order
    // The digest that the build hash was made from. A depot file with another one (a version was
    // mirrored anew meanwhile) throws ZipError, so that no archive gets a wrong hash; "" = any.
    std::string digest = {};
  };
  std::string build_hash;  // 64 hex digits; also the archive's comment
  std::vector<Part> parts;
  std::vector<InlineEntry> inline_entries;
};

// Merges the recipe into `fd` (see ZipWriter): each part's entries as they are in the depot and in
// its order, then the inline ones by path, then a fresh central directory. Throws ZipError (a depot
// file is missing, damaged or lacks a path) and sys::FileError.
void write_archive(const Recipe& recipe, int fd, const std::filesystem::path& path_for_messages);

// Seconds since the epoch, in the past, derived from the hash alone: nginx makes its ETag of it and
// of the size, so equal builds have equal tags on every host (decision R11).
std::int64_t modification_time(std::string_view build_hash);

// What ends every archive: a comment that names its build hash.
std::string archive_comment(std::string_view build_hash);

// The build hash that the name of a finished archive tells; nothing when it is no archive's.
std::optional<std::string> build_hash_of(const std::filesystem::path& file);

// Reads all of a finished archive. Throws ZipError when it is damaged in any way or of another
// build than its name says, and sys::FileError.
void verify_archive(const std::filesystem::path& file);

class ArchiveCache {
 public:
  explicit ArchiveCache(std::filesystem::path root) : root_(std::move(root)) {}

  // False when the folder is missing or can't be written.
  bool available() const;
  // Throws std::invalid_argument unless `build_hash` is 64 lower-case hex digits.
  std::filesystem::path file_of(std::string_view build_hash) const;

  // The archive's size; nothing when it is not there. It is in use from then on, and stays for
  // whoever is told its name, for as long as ArchiveRemoval says. Throws sys::FileError.
  std::optional<std::uint64_t> hand_out(std::string_view build_hash) const;

  enum class Source { cached, built };
  // Where the archive came from, or the limit that refused to build it.
  using Ensured = std::variant<Source, domain::RateLimited>;

  // Makes sure that the archive is there, and hands it out. When it is not: one caller among all
  // processes builds it, the others wait and find it. `may_build` is asked once by the caller that
  // builds, before any work. A failed build throws and
  // leaves nothing behind; what a killed one leaves, `<hash>.zip.part`, is taken over by the next.
  // Throws as write_archive.
  Ensured ensure(const Recipe& recipe, const domain::Permit& may_build) const;

 private:
  std::filesystem::path root_;
};

}  // namespace goldsmith::archive
