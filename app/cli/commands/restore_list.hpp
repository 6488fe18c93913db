// What `goldsmith restore --list` prints of a backup.
#pragma once

#include "app/cli/backup_archive.hpp"
#include "app/cli/command.hpp"
#include "app/cli/context.hpp"

namespace goldsmith::cli {

// A table of what is in it, or with --json rows.
void list_backup(const BackupManifest& manifest, const Arguments& arguments, Context& context);

}  // namespace goldsmith::cli
