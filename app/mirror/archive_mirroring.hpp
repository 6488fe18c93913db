// Takes the files of a release, mostly archives, into the depot and the catalog (decision S14). For
// the whole way of a release see app/mirror/release_mirroring.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/domain/component.hpp"
#include "app/mirror/releases.hpp"
#include "app/mirror/unpacker.hpp"
#include "db/component_store.hpp"

namespace goldsmith::mirror {

// Nothing was changed; what() names the reason and the remedy.
class MirrorRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ArchiveRequest {
  domain::Slug slug;
  domain::Version version;
  std::vector<std::filesystem::path> archives;  // of one release; a later one wins over an earlier
  // Absent = as in the catalog; for a new version domain::time_of_undated().
  std::optional<domain::Timestamp> released_at;
  bool replace = false;                 // other content may replace what is mirrored
  std::vector<domain::Source> sources;  // of the archives; empty = downloaded by hand
  // How the sources were checked; of what was downloaded by hand it is found out here.
  domain::Verification verified = domain::Verification::none;
  // Holds what is new, from then on; absent = it is handed out at once.
  std::optional<domain::Hold> hold = {};
  std::string notes = {};              // what its author says of it; "" = nothing is known
  domain::SourceIdentity source = {};  // of its repository
};

enum class MirrorChange {
  mirrored,  // the version is new
  replaced,  // its content or its time of release changed
  repaired,  // the catalog had it, but its depot file was missing or damaged
  recorded,  // the content is the same; where it comes from and its time of release were added
  unchanged
};

struct MirrorOutcome {
  MirrorChange change = MirrorChange::unchanged;
  domain::ComponentVersion version;        // as the catalog has it now
  std::uint64_t dropped = 0;               // files that were left out
  std::vector<ReleaseFile> unpinned = {};  // see mirror::FetchedRelease
  bool is_doubted = false;  // it is held for what speaks against its release now: doubt or step
};

class ArchiveMirroring {
 public:
  ArchiveMirroring(db::ComponentStore& components, const archive::Depot& depot,
                   const base::MirrorConfig& limits, const base::Clock& clock)
      : components_(components), depot_(depot), limits_(limits), clock_(clock) {}

  // The new file is published beside the old one, then the catalog switches to it, in one step:
  // whatever fails or is killed, builds find the old content or the new one. The old file stays for
  // those who read it (collect_superseded).
  // One call at a time works on a depot; others wait. `progress` is told what is being done. Throws
  // MirrorRefused, RefusedArchive, base::FileError, base::Interrupted and db::Error.
  MirrorOutcome mirror(const ArchiveRequest& request,
                       const std::function<void(std::string_view)>& progress) const;

 private:
  void record(const ArchiveRequest& request, const domain::ComponentVersion* known,
              const domain::ComponentVersion& version, const std::filesystem::path& file) const;

  db::ComponentStore& components_;
  const archive::Depot& depot_;
  const base::MirrorConfig& limits_;
  const base::Clock& clock_;
};

// From an upstream release archive to a canonical depot ZIP (decision S14). The archives are read
// in a sandbox, by a process without rights (unpacker.hpp); this process sees what came out of it,
// checks it, and makes the depot file.
struct Normalised {
  std::uint64_t upstream_bytes = 0;         // of all the archives
  std::string digest;                       // of the canonical ZIP, see app/archive/depot.hpp
  std::vector<domain::ManifestFile> files;  // by path; with their natives
  std::vector<domain::FileOrigin> origins;  // of the files; a source is the number of an archive
  std::uint64_t dropped = 0;                // files left out by rule, map, name or content
  std::vector<std::string> links;           // that are left out (Names::any)
};

// Reads zip, rar, 7z and tar `archives`, and what `rules` say is one file by the last part of its
// path (unpack::unpack()), in order (a later one replaces a path of an earlier one; the limits
// count for all together), applies `rules`, and writes the canonical ZIP to `target`, which must be
// on the depot's file system: entries by path, deflated at level 9, one time stamp, a depot file's
// comment. Equal archives and rules give equal bytes. Every entry is read to its end and must be
// safe, dropped ones too. Memory use does not depend on the size of the archives: files pass
// through a temporary folder beside `target`. Links to archives are followed as open_named()
// follows them. Throws RefusedArchive (also if no file is left), UnpackError, base::FileError and
// base::Interrupted; `target` may then be incomplete, and the caller removes it.
//
// A file mapped to a `to` that is "" or ends in "/" keeps its name there.
Normalised normalise(const std::vector<std::filesystem::path>& archives,
                     const domain::InstallRules& rules, const base::MirrorConfig& limits,
                     const std::filesystem::path& target,
                     const std::filesystem::path& program = unpack_program());

// An archive that is open for reading. `path`: for messages, and its last part for `rules`.
struct OpenArchive {
  const base::UniqueFd& file;
  std::filesystem::path path;
};
// Names in archives that are not UTF-8, names that differ in letter case alone, and links are
// refused, or taken as unpack::Job has it of files that are read alone.
enum class Names { utf8, any };
// Normalises archives that somebody holds open.
Normalised normalise(const std::vector<OpenArchive>& archives, const domain::InstallRules& rules,
                     const base::MirrorConfig& limits, const std::filesystem::path& target,
                     Names names = Names::utf8);

// Adds their natives to `files`, those of a depot file that was made before these were taken. Needs
// as much room among the temporary files as the depot file has. Throws as normalise() does.
void add_natives(const std::filesystem::path& depot_file, const base::MirrorConfig& limits,
                 std::vector<domain::ManifestFile>& files);

}  // namespace goldsmith::mirror
