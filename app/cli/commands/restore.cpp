#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/backup_archive.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/commands/restore_list.hpp"
#include "app/cli/commands/restored_units.hpp"
#include "app/cli/context.hpp"
#include "app/cli/database_dump.hpp"
#include "app/cli/host_files.hpp"
#include "app/cli/output.hpp"
#include "app/cli/restored_files.hpp"
#include "app/scan/followed.hpp"
#include "db/migrations.hpp"

namespace goldsmith::cli::commands::restore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSetup = "/usr/lib/goldsmith/setup";
constexpr std::size_t kNamed = 10;
constexpr std::int64_t kMaxConfig = 1 << 20;  // as the configuration's reader

// Puts a backup back, in steps; each must have been done before the next.
class Restoring {
 public:
  Restoring(const fs::path& file, const Arguments& arguments, Context& context)
      : file_(file),
        reader_(file),
        manifest_(reader_.manifest()),
        replaces_(arguments.has("replace")),
        is_bare_(arguments.has("no-setup")),
        runs_setup_(HostPlaces::is_installed(manifest_.config) && !is_bare_),
        context_(context),
        spool_(spool_folder(), "goldsmith-restore") {}

  // Reads all of the archive, and compares it with this host. Changes nothing.
  void check() {
    if (fs::absolute(context_.config_file()).lexically_normal() != manifest_.config) {
      throw Failure("the backup is of the configuration " + manifest_.config + ": --config " +
                    manifest_.config + " restores it");
    }
    const int newest = db::known_migrations().back().number;
    if (manifest_.schema > newest) {
      throw Failure(fmt::format(
          "the database in it has the schema {}, and this version of goldsmith knows {}: install "
          "goldsmith {} or a newer one",
          manifest_.schema, newest, manifest_.goldsmith));
    }
    if (runs_setup_) {
      if (::geteuid() != 0) throw Failure("this needs root");
      std::error_code error;
      if (!fs::exists(kSetup, error)) {
        throw Failure(std::string(kSetup) +
                      " is not there: install the package, or use --no-setup");
      }
    }
    check_room();
    verify();
    config_ = archived_config();
    check_places();
    check_files();
    check_database();
  }

  void print_plan() {
    for (const BackupEntry& entry : manifest_.entries) {
      if (entry.is_database()) continue;
      switch (presence_of(entry)) {
        case Presence::absent:
          context_.out() << "would make " << entry.path << '\n';
          break;
        case Presence::comments:
        case Presence::other:
          context_.out() << "would replace " << entry.path << '\n';
          break;
        case Presence::same:
          break;
      }
    }
    context_.out() << "would load the database of "
                   << domain::format_timestamp(manifest_.created_at) << " UTC into "
                   << config_.database.name << '\n';
  }

  void run() {
    if (runs_setup_) stop_units();
    if (is_bare_ && HostPlaces::is_installed(manifest_.config)) refuse_running_units();
    std::optional<scan::FollowedRepositories> followed = lock_followed();
    put_back();
    if (runs_setup_) run_program({kSetup, "--database-only", "--yes"});
    Context restored({context_.out(), context_.err(), context_.shows_progress()},
                     context_.config_request());
    load_database(restored);
    note_backup(restored);
    if (is_bare_) {
      context_.out() << "next: goldsmith setup --no-catalog, goldsmith db withdraw; or an older "
                        "version of goldsmith\n";
      return;
    }
    call("migrate", restored);
    std::error_code error;
    if (fs::exists(restored.config().withdrawals, error)) call("withdraw", restored);
    followed.reset();
    if (runs_setup_) finish_host();
    restored.announce_change();
    tell_the_rest(restored);
  }

 private:
  // Against commands that the operator has begun.
  std::optional<scan::FollowedRepositories> lock_followed() const {
    std::error_code error;
    if (!fs::exists(config_.followed, error)) return std::nullopt;
    try {
      return std::optional<scan::FollowedRepositories>(std::in_place, config_.followed,
                                                       scan::FollowedRepositories::Access::changes);
    } catch (const scan::Failure& failure) {
      if (!runs_setup_) throw;
      throw Failure(std::string(failure.what()) +
                    "; the units of goldsmith are stopped until then");
    }
  }

  BackupProgress progress(ProgressLine& line, const char* what) {
    return [&line, what](std::uint64_t done, std::uint64_t total) {
      base::check_interruption();
      line.show_transfer(what, done, total);
    };
  }

  bool is_configuration(const BackupEntry& entry) const {
    const fs::path path = entry.path;
    const fs::path folder = fs::path(manifest_.config).parent_path();
    return entry.kind == BackupEntry::kFile && entry.bytes <= kMaxConfig &&
           path.extension() == ".conf" &&
           (path.parent_path() == folder || path.parent_path() == folder / "conf.d");
  }

  // The dump is there before the database that is there is dropped.
  void check_room() const {
    std::uint64_t bytes = 0;
    for (const BackupEntry& entry : manifest_.entries) {
      if (entry.is_database()) bytes += static_cast<std::uint64_t>(entry.bytes);
    }
    const std::uint64_t room = base::available_bytes(spool_.path());
    if (bytes <= room) return;
    throw Failure(fmt::format(
        "the dump in it has {}, and {} has room for {}: TMPDIR=FOLDER names one with more",
        base::readable_size(bytes), spool_folder().string(), base::readable_size(room)));
  }

  // Reads everything once; keeps the configuration, for what it names.
  void verify() {
    ProgressLine line(context_.err(), context_.shows_progress());
    const base::HeldFolder spool(spool_.path());
    const auto each = [&](const BackupEntry& entry, const BackupReader::Content& content) {
      if (!is_configuration(entry)) return;
      std::string text;
      content([&](std::string_view bytes) { text += bytes; });
      const fs::path name =
          fs::path(entry.path).lexically_relative(fs::path(manifest_.config).parent_path());
      spool.write(name.string(), [&](int fd) { base::write_all(fd, text, entry.path); },
                  {.mode = 0600});
    };
    reader_.read(each, progress(line, "verify"));
    line.clear();
  }

  base::Config archived_config() const {
    const fs::path file = spool_.path() / fs::path(manifest_.config).filename();
    base::ConfigSources sources;
    sources.files = base::with_drop_ins(file);
    if (fs::exists(spool_.path() / "operator.conf")) {
      sources.files.push_back(spool_.path() / "operator.conf");
    }
    sources.arguments = context_.config_request().overrides;
    return base::load_config(sources).config;
  }

  // A backup of this configuration has nothing elsewhere.
  void check_places() const {
    const HostPlaces places(manifest_.config, config_);
    for (const BackupEntry& entry : manifest_.entries) {
      if (places.may_have(entry)) continue;
      throw Failure(entry.path +
                    ": no backup of goldsmith has that path; nothing of it was restored");
    }
  }

  bool is_merged(const BackupEntry& entry) const {
    return fs::path(entry.path) == config_.withdrawals;
  }

  void check_files() const {
    std::vector<std::string> others;
    for (const BackupEntry& entry : manifest_.entries) {
      if (entry.is_database() || is_merged(entry)) continue;
      if (presence_of(entry) == Presence::other) others.push_back(entry.path);
    }
    if (others.empty() || replaces_) return;
    throw Failure("this host has other files than the backup: " + base::join_some(others, kNamed) +
                  "; --replace takes those of the backup");
  }

  // Setup makes accounts and a database that don't exist yet, but no server.
  void check_database() const {
    using Kind = db::Error::Kind;
    try {
      DatabaseServer server(config_.database);
      refuse_tables(server);
      check_can_load(server);
    } catch (const db::Error& error) {
      const bool has_answered = error.kind() != Kind::unavailable &&
                                error.kind() != Kind::timeout && error.kind() != Kind::untrusted;
      if (!runs_setup_ || !has_answered) throw;
    }
  }

  void refuse_tables(DatabaseServer& server) const {
    const std::int64_t tables = server.tables();
    if (tables == 0 || replaces_) return;
    throw Failure(fmt::format("the database {} at {} has {} tables; --replace drops them",
                              server.settings.schema, base::to_string(server.address), tables));
  }

  void put_back() {
    ProgressLine line(context_.err(), context_.shows_progress());
    const std::size_t files =
        put_files_back(reader_, {spool_.path(), config_.withdrawals}, progress(line, "restore"),
                       [&](const std::string& text) {
                         line.clear();
                         context_.report(text);
                       });
    line.clear();
    context_.out() << "restored " << count_of(files, "file") << '\n';
  }

  void load_database(Context& restored) {
    DatabaseServer server(restored.config().database);
    refuse_tables(server);
    check_can_load(server);
    context_.progress("loading the database");
    server.drop_tables();
    try {
      load_dump(server, spool_.path() / BackupEntry::kDatabase, spool_.path());
    } catch (const std::exception& error) {
      throw Failure(std::string(error.what()) +
                    "; the files are back, the database is not: once the cause is mended, run this "
                    "again with --replace");
    }
    context_.out() << "restored the database of " << domain::format_timestamp(manifest_.created_at)
                   << " UTC\n";
  }

  // So that the doctor warns of a host that makes no more. One that this host has made since is
  // newer.
  void note_backup(Context& restored) const {
    if (!manifest_.created_at) return;
    const fs::path file = last_backup_file(restored.config());
    const std::string time = domain::format_timestamp(*manifest_.created_at);
    try {
      std::error_code error;
      if (fs::exists(file, error) && base::read_file(file, 1U << 16) > time) return;
      base::write_atomically(file, time + ' ' + file_.string() + '\n');
    } catch (const base::FileError& failure) {
      context_.report(failure.what());
    }
  }

  static void call(const std::string& verb, Context& restored) {
    find_verb(find_noun("db"), verb).run(Arguments({}), restored);
  }

  void run_program(const std::vector<std::string>& arguments) {
    const Answer answer = ask(arguments, std::chrono::hours(1));
    context_.out() << answer.text << '\n' << std::flush;
    if (!answer.good) {
      throw Failure(
          "goldsmith setup has failed, for the reason above; once it is mended, run this "
          "again with --replace");
    }
  }

  // The site needs its certificate, and another one of ours the parts of the site.
  void finish_host() {
    for (const fs::path& file : site_certificates()) {
      std::error_code error;
      if (!fs::exists(file, error)) lacking_.push_back(file.string());
    }
    if (lacking_.empty()) set_up();
    start_enabled_units(context_);
  }

  void set_up() {
    run_program({kSetup, "--no-catalog", "--yes"});
    for (const BackupEntry& entry : manifest_.entries) {
      if (entry.kind == BackupEntry::kLink && is_enabled_site(entry)) enable_site(entry);
    }
    ask({"/usr/bin/systemctl", "reload", "nginx.service"});
  }

  // nginx stays as it is if it does not accept the site.
  void enable_site(const BackupEntry& entry) {
    if (presence_of(entry) != Presence::absent) return;
    make_link(entry);
    const Answer answer = ask({"/usr/sbin/nginx", "-t", "-q"});
    if (answer.good) return;
    const fs::path path = entry.path;
    base::HeldFolder(path.parent_path()).remove(path.filename());
    context_.report(entry.path + " is not enabled, as nginx rejects it: " + answer.text);
  }

  void tell_the_rest(Context& restored) {
    std::error_code error;
    for (const LeftOut& each : manifest_.left_out) {
      if (fs::exists(each.path, error)) continue;
      context_.out() << "next: " << each.path << " was not in the backup: " << each.reason << '\n';
    }
    const archive::Depot depot(restored.config().depot);
    if (const std::size_t missing =
            archive::find_missing(restored.components().load_catalog(), depot).size();
        missing > 0) {
      context_.out() << "next: goldsmith depot fill fetches " << count_of(missing, "version")
                     << " that the depot lacks\n";
    }
    if (!lacking_.empty()) {
      context_.out()
          << "next: put the certificate to " << base::join(lacking_, ", ")
          << ", then run goldsmith setup --no-catalog --yes: the site is not enabled and "
             "the workers do not run until then\n";
    }
    context_.out() << "next: let the host name of the site lead to this host; goldsmith doctor\n";
  }

  fs::path file_;
  BackupReader reader_;
  const BackupManifest& manifest_;
  bool replaces_;
  bool is_bare_;  // files and database as they were, and nothing else
  bool runs_setup_;
  Context& context_;
  base::TempDir spool_;
  base::Config config_;               // of the backup
  std::vector<std::string> lacking_;  // certificates
};

void run_restore(const Arguments& arguments, Context& context) {
  const fs::path file = fs::absolute(arguments.text("FILE"));
  if (arguments.has("list")) {
    const BackupReader reader(file);
    return list_backup(reader.manifest(), arguments, context);
  }
  if (arguments.has("json")) throw UsageError("--json needs --list");
  const base::InterruptionGuard guard;
  Restoring restoring(file, arguments, context);
  restoring.check();
  if (arguments.has("dry-run")) return restoring.print_plan();
  restoring.run();
}

Verb restore_verb() {
  return {
      .name = "restore",
      .summary = "Restores a backup on this host.",
      .text =
          "Restores what \"goldsmith backup\" has written, on a host with the package, nginx and a "
          "database server, of the same or a newer version of goldsmith. All of the file is read "
          "and "
          "checked first, by the digests in it; a damaged one changes nothing. A host that has "
          "other files in the places of the backup, or a database with tables, is refused. "
          "Then it stops all units of goldsmith, puts the files back with their modes and the "
          "owners of these "
          "names, has setup make the database and its accounts, loads the dump, updates its "
          "schema, "
          "withdraws again what the record of withdrawals names, of the backup or of this host, "
          "and "
          "runs setup, which starts the service. At the end it says what is left to do.\n\n"
          "Whoever can change a backup owns the host on which it is restored: its configuration "
          "says what root runs.",
      .positionals = {{.name = "FILE"}},
      .options =
          {{.name = "list",
            .help = "Only lists what is in the file, and changes nothing.",
            .effect = Effect::reads},
           {.name = "dry-run",
            .help = "Checks everything, and only says which files would be made and replaced.",
            .effect = Effect::reads},
           {.name = "replace",
            .help = "Replaces files that are there, and drops the tables of the database. What is "
                    "not in the backup stays."},
           {.name = "no-setup",
            .help = "Restores files and database as they were, into a database that exists, and "
                    "does nothing else: so an older version of goldsmith can be installed. No unit "
                    "of goldsmith may run: systemctl stop goldsmith.target 'goldsmith-*'."},
           json_option()},
      .examples = {"goldsmith restore goldsmith-web1-20260131-040000.tar.gz --dry-run",
                   "goldsmith restore goldsmith-web1-20260131-040000.tar.gz"},
      .run = run_restore,
      .is_recorded = true,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "restore",
      .summary = "Restores a backup on this host.",
      .text = "Restores what the command backup has written.",
      .verbs = {restore_verb()},
  };
}

}  // namespace goldsmith::cli::commands::restore
