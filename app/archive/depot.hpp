// The depot: one canonical ZIP for the content of each component version,
// `<root>/<slug>/<version>.<digest>.zip`. An operator can open the files with any ZIP tool. Each is
// published completely and never changed: other content of a version has another name, so that the
// catalog alone decides which file counts (decision O10).
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/domain/component.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::archive {

// The ZIP comment of a depot file. `digest`: the SHA-256, in hex, of all bytes up to the end of the
// central directory. It tells a build whether the file is the mirrored version that was planned,
// and verifying needs nothing but the file.
std::string depot_comment(std::string_view digest);

// Ends `writer`, whose file is `fd`, as a depot file; returns its digest. Throws as ZipWriter does.
std::string finish_depot_file(ZipWriter& writer, int fd, const std::filesystem::path& path);

// A depot file that was read completely.
struct VerifiedDepotFile {
  std::string digest;
  std::vector<domain::ManifestFile> files;  // in file order, with their SHA-256
};

// Calls `on_bytes` with the number of bytes that it has read or inflated since the last call, often
// enough to wait in. Throws ZipError if the file is damaged, and base::FileError.
VerifiedDepotFile verify_depot_file(
    const std::filesystem::path& path,
    const std::function<void(std::size_t)>& on_bytes = [](std::size_t) {});

// Whether a file has the bytes of the depot file with that digest, before anything of it is read as
// a ZIP: somebody else sent it. Throws base::FileError.
bool has_depot_digest(const std::filesystem::path& path, std::string_view digest);

// This host's depot lacks a file of a mirrored version, which another host has mirrored, or this
// process may not read it (decision O11).
class MissingDepotFile : public std::runtime_error {
 public:
  // It is not there, or this process may not read it (EACCES).
  explicit MissingDepotFile(const std::filesystem::path& file, int error_number = ENOENT);
};

class Depot {
 public:
  explicit Depot(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Where content of the version is stored; the file need not exist. `digest`: see
  // finish_depot_file.
  std::filesystem::path file_of(const domain::Slug& slug, const domain::Version& version,
                                std::string_view digest) const;
  // file_of(), if this host has that file. std::nullopt = it lacks the file. Does not read the
  // content.
  std::optional<std::filesystem::path> find(const domain::Slug& slug,
                                            const domain::Version& version,
                                            std::string_view digest) const;
  // file_of(); throws MissingDepotFile where the host lacks the file.
  std::filesystem::path require(const domain::Slug& slug, const domain::Version& version,
                                std::string_view digest) const;

  // Renames `temporary`, a finished file on the same file system, to file_of(): readable by
  // everybody, whatever the umask is, synced to disk, replacing a damaged file of that name. Throws
  // base::FileError; `temporary` and the older file then stay.
  void publish(const std::filesystem::path& temporary, const domain::Slug& slug,
               const domain::Version& version, std::string_view digest) const;
  // The file, if this host has it, its folder or root() itself, whichever not everybody can read or
  // enter; "" = all can. The depot holds what anybody may download, and its workers are other users
  // than who mirrors.
  std::filesystem::path closed_part(const domain::Slug& slug, const domain::Version& version,
                                    std::string_view digest) const;
  // Opens these to everybody; false if they were. Throws base::FileError.
  bool open_to_all(const domain::Slug& slug, const domain::Version& version,
                   std::string_view digest) const;
  // Removes the file under both of its names; false if there was none. Throws base::FileError.
  bool remove(const domain::Slug& slug, const domain::Version& version,
              std::string_view digest) const;

 private:
  // root(), the folder and the file.
  std::array<std::filesystem::path, 3> parts_of(const domain::Slug& slug,
                                                const domain::Version& version,
                                                std::string_view digest) const;

  std::filesystem::path root_;
};

// Exclusive work on a depot, in temporary folders that are cleaned up after a killed process.

// Takes an exclusive flock(2) on `fd`, which is open at `path`; waits for whoever has it. Throws
// base::FileError and, if a signal arrives while it waits, base::Interrupted.
void lock_interruptibly(int fd, const std::filesystem::path& path);

// Locks the depot until destruction; others wait. Creates its folder if it is missing. Throws
// base::FileError and, if a signal arrives while it waits, base::Interrupted.
class DepotLock {
 public:
  explicit DepotLock(const std::filesystem::path& root);

 private:
  base::UniqueFd fd_;
};

// A folder on the depot's file system, removed on destruction. It is locked while its
// process lives; an unlocked one was left behind by a killed process, and is removed.
class DepotWorkspace {
 public:
  // The lock is needed only during construction.
  DepotWorkspace(const std::filesystem::path& root, const DepotLock& lock);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  base::TempDir folder_;
  base::UniqueFd fd_;
};

}  // namespace goldsmith::archive
