#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/backup_archive.hpp"
#include "app/cli/caller.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/database_dump.hpp"
#include "app/cli/host_files.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli::commands::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostKept = 10'000;

// What the names of this host's backups begin with: several hosts may share a folder.
std::string name_start() {
  std::string name = "goldsmith-" + host_name() + '-';
  std::ranges::replace_if(
      name, [](char c) { return !domain::is_alphanumeric(c) && c != '-' && c != '.' && c != '_'; },
      '_');
  return name;
}

bool is_our_name(std::string_view name) {
  constexpr std::string_view kShape = "########-######.tar.gz";
  const std::string start = name_start();
  if (!name.starts_with(start)) return false;
  return std::ranges::equal(name.substr(start.size()), kShape, [](char c, char shape) {
    return shape == '#' ? domain::is_digit(c) : c == shape;
  });
}

std::vector<DepotReference> mirrored_versions(DatabaseServer& server) {
  if (server.schema() == 0) return {};
  const auto rows = server.connection.query(
      "SELECT c.slug, v.version, v.digest FROM component_versions v"
      " JOIN components c ON c.id = v.component_id ORDER BY c.slug, v.version");
  std::vector<DepotReference> versions;
  while (rows->next()) versions.push_back({rows->text(1), rows->text(2), rows->text(3)});
  return versions;
}

struct Backup {
  BackupManifest manifest;
  std::vector<fs::path> contents;
};

// The files before the dump: a followed repository that is known by less than the database has is
// mirrored again; one that is known by more would lack that. The depot is copied from the archive's
// last part, when the dump is complete: a file in it that the dump does not know does no harm.
Backup prepare(const std::optional<fs::path>& target, bool with_depot, const fs::path& spool,
               Context& context) {
  const base::Config& config = context.config();
  const fs::path config_file = fs::absolute(context.config_file()).lexically_normal();
  const HostPlaces places(config_file, config);
  Backup backup;
  context.progress("configuration and state");
  CollectedFiles files = collect_files(places, target, spool);
  context.progress("database");
  DatabaseServer server(config.database);
  const fs::path dump = dump_database(server, spool);
  if (with_depot) {
    context.progress("depot");
    CollectedFiles more = collect_depot(places, target);
    std::ranges::move(more.entries, std::back_inserter(files.entries));
    std::ranges::move(more.contents, std::back_inserter(files.contents));
    std::ranges::move(more.left_out, std::back_inserter(files.left_out));
  }
  BackupManifest& manifest = backup.manifest;
  manifest.goldsmith = GOLDSMITH_VERSION;
  manifest.schema = server.schema();
  manifest.server = server.version;
  manifest.created_at = context.now();
  manifest.host = host_name();
  manifest.config = config_file.string();
  manifest.depot = mirrored_versions(server);
  manifest.left_out = std::move(files.left_out);
  BackupEntry database;
  database.path = BackupEntry::kDatabase;
  database.kind = BackupEntry::kFile;
  database.mode = 0600;
  database.bytes = static_cast<std::int64_t>(fs::file_size(dump));
  database.sha256 = base::sha256_of_file(dump);
  manifest.entries.push_back(std::move(database));
  std::ranges::move(files.entries, std::back_inserter(manifest.entries));
  backup.contents.push_back(dump);
  std::ranges::move(files.contents, std::back_inserter(backup.contents));
  if (HostPlaces::is_installed(config_file)) {
    for (const fs::path& file : site_certificates()) {
      const bool is_known = std::ranges::any_of(
          manifest.entries, [&](const BackupEntry& each) { return each.path == file; });
      if (!is_known) manifest.left_out.push_back({file.string(), "the certificate of the site"});
    }
  }
  return backup;
}

void write(int fd, const fs::path& path, const Backup& backup, Context& context) {
  ProgressLine line(context.err(), context.shows_progress());
  write_backup(fd, path, backup.manifest, backup.contents,
               [&](std::uint64_t done, std::uint64_t total) {
                 base::check_interruption();
                 line.show_transfer("backup", done, total);
               });
  line.clear();
}

// A temporary file is locked while it is written: one that is not is of a backup that was killed.
void lock_temporary(int fd, const fs::path& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) throw base::FileError(path, "can't be locked", errno);
}

void remove_abandoned(const base::HeldFolder& folder, Context& context) {
  for (const base::HeldFolder::Entry& entry : folder.entries()) {
    constexpr std::string_view kStart = ".goldsmith-";
    if (entry.kind != base::HeldFolder::Kind::file || !entry.name.starts_with(kStart)) continue;
    if (!std::ranges::all_of(entry.name.substr(kStart.size()), domain::is_digit)) continue;
    try {
      const base::UniqueFd fd = folder.open(entry.name);
      if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 || !folder.remove(entry.name)) continue;
      context.out() << "removed " << entry.name << ", of a backup that was killed\n";
    } catch (const base::FileError& error) {
      context.report(error.what());
    }
  }
}

// Of this host's backups keeps `made` and the newest others, `kept` together. By a clock that was
// wrong, others may seem to be newer.
void remove_older(const base::HeldFolder& folder, const std::string& made, std::size_t kept,
                  Context& context) {
  std::vector<std::string> names;
  for (const base::HeldFolder::Entry& entry : folder.entries()) {
    if (entry.kind == base::HeldFolder::Kind::file && entry.name != made &&
        is_our_name(entry.name)) {
      names.push_back(entry.name);
    }
  }
  if (names.size() < kept) return;
  for (auto name = names.begin(); name != names.end() - static_cast<std::ptrdiff_t>(kept - 1);
       ++name) {
    if (folder.remove(*name)) context.out() << "removed " << *name << '\n';
  }
}

// With the time that a restore notes, too.
void note(const BackupManifest& manifest, const std::string& where, Context& context) {
  const fs::path file = last_backup_file(context.config());
  try {
    const std::string time = domain::format_timestamp(manifest.created_at.value_or(context.now()));
    base::write_atomically(file, time + ' ' + where + '\n');
  } catch (const base::FileError& error) {
    context.report("goldsmith doctor will not know of this backup: " + std::string(error.what()));
  }
}

// Not among the problems, where a timer would send it every night.
void tell(const BackupManifest& manifest, std::ostream& out) {
  for (const LeftOut& each : manifest.left_out) {
    out << "not in the backup: " << each.path << ": " << each.reason << '\n';
  }
}

void run_backup(const Arguments& arguments, Context& context) {
  const std::string target = arguments.text("FOLDER");
  const std::int64_t kept = arguments.integer("keep", 1, kMostKept, 0);
  const bool to_output = target == "-";
  if (to_output && arguments.has("keep")) throw UsageError("--keep needs a FOLDER");
  if (to_output && ::isatty(STDOUT_FILENO) != 0) {
    throw UsageError(
        "\"-\" writes a compressed archive: send standard output to a file or program");
  }
  const base::InterruptionGuard guard;
  std::optional<base::HeldFolder> folder;
  if (!to_output) folder.emplace(fs::absolute(target));
  const base::TempDir spool(spool_folder(), "goldsmith-backup");
  const Backup backup = prepare(folder ? std::optional(folder->path()) : std::nullopt,
                                arguments.has("with-depot"), spool.path(), context);
  if (to_output) {
    write(STDOUT_FILENO, "standard output", backup, context);
    note(backup.manifest, "-", context);
    return tell(backup.manifest, context.err());
  }
  remove_abandoned(*folder, context);
  const std::string name =
      fmt::format("{}{:%Y%m%d-%H%M%S}.tar.gz", name_start(), fmt::gmtime(context.now()));
  const fs::path file = folder->path() / name;
  if (folder->entry(name)) throw Failure(file.string() + " exists; try again in a second");
  folder->write(name,
                [&](int fd) {
                  lock_temporary(fd, file);
                  write(fd, file, backup, context);
                },
                {.mode = 0600});
  context.out() << file.string() << ", " << base::readable_size(folder->entry(name)->size) << '\n';
  note(backup.manifest, file.string(), context);
  tell(backup.manifest, context.out());
  if (kept > 0) remove_older(*folder, name, static_cast<std::size_t>(kept), context);
}

Verb backup_verb() {
  return {
      .name = "backup",
      .summary = "Backs the host up, into one file.",
      .text =
          "Writes FOLDER/goldsmith-HOST-DATE-TIME.tar.gz, or with \"-\" the same to standard "
          "output: a "
          "dump of the database, the configuration with keys and passwords, the state with what is "
          "followed and withdrawn, the toolchains and includes, and of nginx, systemd and cron the "
          "sites, units, drop-ins and jobs of goldsmith. FOLDER must not be among them. Caches are "
          "never in it. The depot is in it by reference, as "
          "names and digests, unless --with-depot is given.\n\n"
          "Only the owner can read the file, which appears when it is complete. If anything fails, "
          "such as the database, the exit code is 1, and earlier backups stay as they are. What "
          "belongs to the host and is not in the backup, such as certificates elsewhere, is named. "
          "The service goes on meanwhile. The disk of /var/tmp, or TMPDIR, needs room for the "
          "dump. "
          "\"goldsmith restore\" restores it.",
      .positionals = {{.name = "FOLDER"}},
      .options = {{.name = "with-depot", .help = "Copies the files of the depot, too."},
                  {.name = "keep",
                   .value_name = "N",
                   .help = "Afterwards removes the oldest backups of this host in FOLDER, by "
                           "their names, but N with the new one."}},
      .examples = {"goldsmith backup /srv/backup --keep 14",
                   "goldsmith backup - | ssh backup 'cat >goldsmith-$(date +%F).tar.gz'"},
      .run = run_backup,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "backup",
      .summary = "Backs the host up, into one file.",
      .text = "Backs up all that a host has and can't get again.",
      .verbs = {backup_verb()},
  };
}

}  // namespace goldsmith::cli::commands::backup
