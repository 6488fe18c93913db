// Has goldsmith-unpack read the files of a release, mostly archives, in the sandbox
// (app/host/sandboxed_reader.hpp), and checks what comes out of it.
//
// It gets open descriptors, no folders: the archives to read, and files without a name to write. So
// root's own archives and a depot below a private folder can be mirrored, and nothing has to change
// owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/domain/component.hpp"
#include "app/host/sandboxed_reader.hpp"

namespace goldsmith::mirror {

using host::unpack_program;

// An archive was not read to its end for another reason than its content: no sandbox, a limit of
// the process, a crash. what() names the reason and the way out.
class UnpackError : public std::runtime_error {
 public:
  explicit UnpackError(const std::string& what, bool is_too_much = false)
      : std::runtime_error(what), is_too_much_(is_too_much) {}
  bool is_too_much() const { return is_too_much_; }  // for mirror.unpacked_mb

 private:
  bool is_too_much_;
};

// The archive is refused as a whole; what() names the file, the entry and the reason.
class RefusedArchive : public std::runtime_error {
 public:
  explicit RefusedArchive(const std::string& what, bool is_too_much = false)
      : std::runtime_error(what), is_too_much_(is_too_much) {}
  bool is_too_much() const { return is_too_much_; }  // for mirror.unpacked_mb

 private:
  bool is_too_much_;
};

struct UnpackFiles {
  std::vector<base::UniqueFd> archives;  // open for reading
  std::vector<base::UniqueFd> spills;    // as many, empty, open for reading and writing
  base::UniqueFd output;                 // likewise; a ZIP when it is done
  base::UniqueFd origins;                // likewise; text when it is done (read_origins())
  bool any_names = false;                // as in unpack::Job
};

// Runs `program` as goldsmith-unpack to its end. It is ended at the limits mirror.cpu_seconds and
// mirror.memory_mb, at the size that the output can have, at four times the processor time on the
// clock but not before a minute, when a signal arrives (base::Interrupted), and with this process.
// `names`: of the archives; for messages, and their last parts for InstallRules::file_map().
// Returns how many files were left out. Throws RefusedArchive, UnpackError and base::FileError.
std::uint64_t run_unpacker(const std::filesystem::path& program, const UnpackFiles& files,
                           const std::vector<std::filesystem::path>& names,
                           const domain::InstallRules& rules, const base::MirrorConfig& limits);

// What came out of the sandbox, checked: the files, made a depot file, and their origins. Nothing
// that a process in the sandbox had open is published.

// The ZIP breaks a rule that goldsmith-unpack keeps: it is faulty, or was taken over.
class InvalidOutput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Copies the entries of `unpacked`, a ZIP of untrusted content, without recompression to a new
// depot file, after checking that they are in the canonical order, safe, distinct (`any_names`: as
// in unpack::Job), and within the limits, and reads the new file completely. Throws InvalidOutput
// and base::FileError; `target` may then be incomplete.
archive::VerifiedDepotFile copy_to_depot_file(base::UniqueFd unpacked,
                                              const base::MirrorConfig& limits,
                                              const std::filesystem::path& target,
                                              bool any_names = false);

// Reads the lines of goldsmith-unpack, untrusted text: "NUMBER PATH", from where in its archives
// each file comes, and for files with names (domain::has_names) a tab and these. There is one for
// each of `files`, NUMBER is below `archives`. Returns the origins and adds the natives to the
// files. Behind them "- PATH" is a link that was left out, which is added to `links`; null = there
// may be none. Throws InvalidOutput and base::FileError.
std::vector<domain::FileOrigin> read_origins(const base::UniqueFd& fd,
                                             std::vector<domain::ManifestFile>& files,
                                             std::size_t archives, const base::MirrorConfig& limits,
                                             std::vector<std::string>* links = nullptr);

}  // namespace goldsmith::mirror
