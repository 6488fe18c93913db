// The files of a host that a backup has (decision O26): configuration, state, compilers, parts of
// nginx's and systemd's configuration, on request the depot; never caches.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/held_folder.hpp"
#include "app/cli/backup_archive.hpp"

namespace goldsmith::cli {

// Where a backup's files are. nginx, systemd and the state of the package belong to the
// configuration of the package alone; another one, as of a development stack, has what it names.
class HostPlaces {
 public:
  // `config`: what the configuration file says.
  HostPlaces(const std::filesystem::path& config_file, const base::Config& config);

  struct Place {
    enum class Kind {
      tree,   // all that is in it
      file,   // itself
      sites,  // the files in it that name our parts of nginx's configuration, and links to them
      units,  // what is in it with our names
      wants,  // in the folders X.wants of it, links with our names to units of the operator
      depot   // a tree, without what is hidden
    };
    std::filesystem::path path;
    Kind kind = Kind::tree;
  };
  const std::vector<Place>& all() const { return places_; }
  // What is in none of them, though it is below one.
  bool is_excluded(const std::filesystem::path& path) const;
  // Whether a backup of this host can have that entry.
  bool may_have(const BackupEntry& entry) const;

  static bool is_installed(const std::filesystem::path& config_file);

 private:
  void add(const std::filesystem::path& path, Place::Kind kind);

  std::vector<Place> places_;
  std::set<std::filesystem::path> excluded_;
};

// What is found there, and where its content is.
struct CollectedFiles {
  std::vector<BackupEntry> entries;
  std::vector<std::filesystem::path> contents;  // of those that are files, in order
  std::vector<LeftOut> left_out;
};

// Collects all places but the depot. Copies what may change meanwhile to `spool`. `target`: the
// folder of backups. Throws Failure if that is one of the folders which are collected, or for more
// than 4 GiB or 200,000 files, with those that are left out; and base::FileError, also for what
// this process may not read.
CollectedFiles collect_files(const HostPlaces& places,
                             const std::optional<std::filesystem::path>& target,
                             const std::filesystem::path& spool);
// The files of the depot, which are never changed: they are read where they are.
CollectedFiles collect_depot(const HostPlaces& places,
                             const std::optional<std::filesystem::path>& target);

// Where large files may be for a while: TMPDIR or /var/tmp.
std::filesystem::path spool_folder();

// When the last backup was made, and where; beside the record of what was withdrawn.
std::filesystem::path last_backup_file(const base::Config& config);

// The files that nginx's local.conf names as the certificate and its key.
std::vector<std::filesystem::path> site_certificates();

// The owner and permissions of an entry on this host; `report` is told of accounts that it lacks,
// in whose place it is this process' user.
base::HeldFolder::Attributes attributes_of(const BackupEntry& entry,
                                           const std::function<void(const std::string&)>& report);

// Whether that is there, with the same content. `comments`: the configuration that is there says
// nothing, as that of the package.
enum class Presence { absent, same, comments, other };
Presence presence_of(const BackupEntry& entry);

// Links of nginx's sites are made once nginx accepts them.
bool is_enabled_site(const BackupEntry& entry);

}  // namespace goldsmith::cli
