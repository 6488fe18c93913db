// The files of a backup, put back into their places (decision O26). No link of somebody else is
// followed, and each file has its mode and owner before it appears.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "app/cli/backup_archive.hpp"

namespace goldsmith::cli {

struct RestorePlaces {
  std::filesystem::path spool;        // gets the dump, as BackupEntry::kDatabase
  std::filesystem::path withdrawals;  // the record that keeps its own lines, too
};

// Puts back all files, folders and links but those of is_enabled_site(), and returns the number of
// files. `report` is told of accounts that this host lacks. Throws Failure for a damaged backup and
// base::FileError; what is back by then stays.
std::size_t put_files_back(const BackupReader& backup, const RestorePlaces& places,
                           const BackupProgress& progress,
                           const std::function<void(const std::string&)>& report);

// Puts back a link. Throws base::FileError.
void make_link(const BackupEntry& entry);

}  // namespace goldsmith::cli
