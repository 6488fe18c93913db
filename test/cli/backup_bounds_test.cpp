// What a backup may have, where it may be written, and when nothing is restored.
#include <fcntl.h>
#include <sys/file.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <regex>

#include "app/cli/backup_archive.hpp"
#include "app/cli/command.hpp"
#include "app/cli/host_files.hpp"
#include "test/cli/losable_host.hpp"

namespace goldsmith::test {
namespace {

namespace fs = std::filesystem;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(backup_bounds, LosableHost)

BOOST_AUTO_TEST_CASE(what_nobody_could_restore_is_no_backup) {
  // As deep as a path can be.
  std::string deep = "followed/owner+plugins";
  while (path(deep).native().size() + 201 < cli::kMaxBackupPath) {
    deep += '/' + std::string(200, 'd');
  }
  write(deep + "/in.txt", "in");
  write(deep + '/' + std::string(cli::kMaxBackupPath - path(deep).native().size(), 'x'), "out");
  const std::string said = done({"backup", path("backups").string()});
  BOOST_TEST(has(said, ": its path has more than 4000 bytes\n"), said.substr(0, 200));
  const std::string file = (path("backups") / backups().front()).string();
  const std::string list = done({"restore", file, "--list"});
  BOOST_TEST(has(list, "/in.txt"));
  BOOST_TEST(!has(list, "x  file"));

  const auto refused = [&](const cli::BackupManifest& manifest, const std::string& reason) {
    const fs::path to = write("backups/refused.tar.gz", "");
    const base::UniqueFd fd = base::open_file(to, O_WRONLY);
    BOOST_CHECK_EXCEPTION(cli::write_backup(fd.get(), to, manifest, {}, {}), cli::Failure,
                          [&](const cli::Failure& failure) { return has(failure.what(), reason); });
    BOOST_TEST(fs::file_size(to) == 0U);
  };
  cli::BackupManifest large;
  for (int each = 0; each < 17; ++each) {
    large.left_out.push_back({"/srv/" + std::to_string(each), std::string(4U << 20, 'x')});
  }
  refused(large, "17 that are not in it, has 71 MB, and may have 67 MB");
  cli::BackupManifest unnamed;
  unnamed.entries.push_back({.path = "/srv/../etc", .kind = cli::BackupEntry::kFolder});
  refused(unnamed, "nobody could restore this backup: \"/srv/../etc\"");
}

BOOST_AUTO_TEST_CASE(nothing_is_dropped_before_it_can_be_loaded) {
  const std::string file = back_up();
  const auto before = tables();
  fs::create_directory(path("nothing"));
  const std::string search = std::getenv("PATH");
  ::setenv("PATH", path("nothing").c_str(), 1);
  const std::string said = failed({"restore", file, "--replace"});
  ::setenv("PATH", search.c_str(), 1);
  BOOST_TEST(has(said, "is not installed: install the package"), said);
  check_tables(before);

  const std::string large = changed(file, [](Members& members) {
    std::string& manifest = members[0].second;
    static const std::regex bytes("\"bytes\": [0-9]+");
    manifest = std::regex_replace(manifest, bytes, "\"bytes\": 1000000000000000000",
                                  std::regex_constants::format_first_only);
  });
  BOOST_TEST(has(failed({"restore", large, "--replace"}), "TMPDIR=FOLDER names one with more"));
  check_tables(before);
}

BOOST_AUTO_TEST_CASE(nothing_is_restored_while_a_command_works_on_what_is_followed) {
  const std::string file = back_up();
  const auto before = tables();
  write("logo.svg", "<svg>other</svg>");
  {
    const base::UniqueFd lock = base::open_file(path("followed"), O_RDONLY | O_DIRECTORY);
    BOOST_REQUIRE(::flock(lock.get(), LOCK_EX | LOCK_NB) == 0);
    BOOST_TEST(has(failed({"restore", file, "--replace"}), "another command works on "));
    BOOST_TEST(has(failed({"restore", file, "--replace", "--no-setup"}), "another command works "));
    BOOST_TEST(base::read_file(path("logo.svg")) == "<svg>other</svg>");
    check_tables(before);
  }
  done({"restore", file, "--replace"});
  BOOST_TEST(base::read_file(path("logo.svg")) == "<svg/>");
}

BOOST_AUTO_TEST_CASE(the_doctor_knows_of_which_backup_a_host_is) {
  const std::string file = back_up();
  const std::string noted = base::read_file(path("last-backup"));
  lose_everything();
  done({"restore", file});
  BOOST_TEST(base::read_file(path("last-backup")) == noted);
  // One that was made since is the last one.
  write("last-backup", "2099-01-01 00:00:00 /srv/backup/later.tar.gz\n");
  done({"restore", file, "--replace"});
  BOOST_TEST(base::read_file(path("last-backup")).starts_with("2099-"));
}

BOOST_AUTO_TEST_CASE(jobs_and_timers_of_the_operator_are_backed_up) {
  const cli::HostPlaces places("/etc/goldsmith/goldsmith.conf", {});
  const auto may_have = [&](const std::string& file, const std::string& target = "") {
    cli::BackupEntry entry;
    entry.path = file;
    entry.kind = target.empty() ? cli::BackupEntry::kFile : cli::BackupEntry::kLink;
    entry.target = target;
    return places.may_have(entry);
  };
  const std::string units = "/etc/systemd/system/";
  const std::string link = units + "timers.target.wants/goldsmith-backup.timer";
  BOOST_TEST(may_have("/etc/cron.d/goldsmith-backup"));
  BOOST_TEST(!may_have("/etc/cron.d/backup"));
  BOOST_TEST(may_have(units + "goldsmith-backup.timer"));
  BOOST_TEST(may_have(link, units + "goldsmith-backup.timer"));
  BOOST_TEST(!may_have(link));
  BOOST_TEST(!may_have(link, "/srv/goldsmith-backup.timer"));
  BOOST_TEST(!may_have(link, units + "backup.timer"));
  BOOST_TEST(
      !may_have(units + "timers.target.wants/backup.timer", units + "goldsmith-backup.timer"));
}

BOOST_AUTO_TEST_CASE(no_backup_has_earlier_ones_in_it) {
  fs::create_directories(path("toolchains/1.9/backups"));
  for (const char* name : {"followed", "toolchains/1.9/backups", "conf.d"}) {
    const std::string said = failed({"backup", path(name).string()});
    BOOST_TEST(has(said, "is itself backed up: name a FOLDER elsewhere"), said);
  }
  BOOST_TEST(
      has(failed({"backup", path("depot").string(), "--with-depot"}), "is itself backed up"));
}

BOOST_AUTO_TEST_CASE(what_a_killed_backup_has_left_is_removed) {
  write("backups/.goldsmith-1", "half");
  write("backups/.goldsmith-2", "written now");
  write("backups/.goldsmith-notes", "of a person");
  const base::UniqueFd writer = base::open_file(path("backups/.goldsmith-2"), O_WRONLY);
  BOOST_REQUIRE(::flock(writer.get(), LOCK_EX | LOCK_NB) == 0);
  const std::string said = done({"backup", path("backups").string()});
  BOOST_TEST(has(said, "removed .goldsmith-1, of a backup that was killed\n"), said);
  const std::vector<std::string> left = backups();
  BOOST_TEST(left.size() == 3);
  BOOST_TEST(left.front() == ".goldsmith-2");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
