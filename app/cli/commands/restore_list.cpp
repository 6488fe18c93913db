#include "app/cli/commands/restore_list.hpp"

#include <ostream>
#include <string>

#include <fmt/core.h>

#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

Listing<BackupEntry> backup_listing() {
  return {
      {{"PATH", "path", &BackupEntry::path},
       {"KIND", "kind", &BackupEntry::kind},
       {"BYTES", "bytes", &BackupEntry::bytes},
       {"MODE", "mode", [](const BackupEntry& each) { return fmt::format("{:04o}", each.mode); }},
       {"OWNER", "owner", &BackupEntry::owner},
       {"GROUP", "group", &BackupEntry::group},
       {.field = "sha256", .value = &BackupEntry::sha256},
       {.field = "target", .value = &BackupEntry::target}}};
}

}  // namespace

void list_backup(const BackupManifest& manifest, const Arguments& arguments, Context& context) {
  backup_listing().print(manifest.entries, arguments, context, [&] {
    context.out() << "goldsmith " << manifest.goldsmith << " made it on " << manifest.host << ", "
                  << domain::format_timestamp(manifest.created_at) << " UTC\n"
                  << "database: " << manifest.server << ", schema " << manifest.schema << '\n'
                  << "depot: " << count_of(manifest.depot.size(), "version")
                  << ", configuration: " << manifest.config << '\n';
    for (const LeftOut& each : manifest.left_out) {
      context.out() << "not in it: " << each.path << ": " << each.reason << '\n';
    }
    backup_listing().table(manifest.entries).print(context.out());
  });
}

}  // namespace goldsmith::cli
