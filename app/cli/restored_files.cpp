#include "app/cli/restored_files.hpp"

#include "app/base/held_folder.hpp"
#include "app/cli/context.hpp"
#include "app/cli/host_files.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

std::function<void(int)> filler(const BackupEntry& entry, const BackupReader::Content& content) {
  return [&](int fd) {
    content([&](std::string_view bytes) { base::write_all(fd, bytes, entry.path); });
  };
}

// Lines are only added to the record, and those of this host may be newer.
void merge_withdrawals(const BackupEntry& entry, const BackupReader::Content& content,
                       const std::function<void(const std::string&)>& report) {
  std::string text;
  content([&](std::string_view bytes) { text += bytes; });
  const fs::path path = entry.path;
  const base::HeldFolder folder = base::HeldFolder::make(path.parent_path());
  const std::string name = path.filename();
  if (folder.entry(name)) text = Withdrawals::merged(text, folder.read(name));
  folder.write(
      name, [&](int fd) { base::write_all(fd, text, path); }, attributes_of(entry, report));
}

}  // namespace

std::size_t put_files_back(const BackupReader& backup, const RestorePlaces& places,
                           const BackupProgress& progress,
                           const std::function<void(const std::string&)>& report) {
  for (const BackupEntry& entry : backup.manifest().entries) {
    if (entry.kind != BackupEntry::kFolder) continue;
    base::HeldFolder::make(entry.path).make_folder("", attributes_of(entry, report));
  }
  std::size_t files = 0;
  backup.read(
      [&](const BackupEntry& entry, const BackupReader::Content& content) {
        const fs::path path = entry.path;
        if (entry.is_database()) {
          const base::HeldFolder spool(places.spool);
          return spool.write(entry.path, filler(entry, content), {.mode = 0600});
        }
        ++files;
        if (path == places.withdrawals) return merge_withdrawals(entry, content, report);
        base::HeldFolder::make(path.parent_path())
            .write(path.filename(), filler(entry, content), attributes_of(entry, report));
      },
      progress);
  for (const BackupEntry& entry : backup.manifest().entries) {
    if (entry.kind == BackupEntry::kLink && !is_enabled_site(entry)) make_link(entry);
  }
  return files;
}

void make_link(const BackupEntry& entry) {
  const fs::path path = entry.path;
  base::HeldFolder::make(path.parent_path()).link(path.filename(), entry.target);
}

}  // namespace goldsmith::cli
