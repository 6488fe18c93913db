// A host is backed up, loses everything, and is restored; what is damaged or in the way is refused.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>

#include "app/base/json.hpp"
#include "test/cli/losable_host.hpp"

namespace goldsmith::test {
namespace {

namespace fs = std::filesystem;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(backup, LosableHost)

BOOST_AUTO_TEST_CASE(what_was_lost_is_restored_as_it_was) {
  done({"plugin", "unpublish", "beta"});
  write("withdrawals", "2026-01-01 00:00:00 withdrawn plugin gone\n");
  fs::permissions(path("withdrawals"), fs::perms(0640));
  const auto tables_before = tables();
  const auto files_before = files();
  const std::string list_before = done({"plugin", "list", "--json"});
  BOOST_TEST(tables_before.size() > 20);
  const std::string file = back_up();
  struct stat status{};
  BOOST_REQUIRE(::stat(file.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600);

  lose_everything();
  BOOST_TEST(tables().empty());
  const std::string plan = done({"restore", file, "--dry-run"});
  BOOST_TEST(has(plan, "would make " + path("followed/owner+plugins/questions.json").string()),
             plan);
  BOOST_TEST(files().empty());
  const std::string said = done({"restore", file});
  BOOST_TEST(files() == files_before);
  check_tables(tables_before);
  BOOST_TEST(done({"plugin", "list", "--json"}) == list_before);
  BOOST_TEST(has(list_before, "\"published\""));
  BOOST_TEST(!fs::exists(path("archives/cached.zip")));
  BOOST_TEST(has(said, "next: goldsmith depot fill fetches 1 version that the depot lacks\n"),
             said);
  BOOST_TEST(has(call({"doctor"}).out, "  followed plugins: 1 plugin with an upstream\n"));
  // And once more, over what is there now.
  BOOST_TEST(has(failed({"restore", file}), "tables; --replace drops them"));
  done({"restore", file, "--replace"});
  check_tables(tables_before);
}

BOOST_AUTO_TEST_CASE(the_depot_is_copied_on_request) {
  const std::string file = back_up({"--with-depot"});
  const std::string before = base::read_file(depot_file("engine", "1.0"));
  lose_everything();
  const std::string said = done({"restore", file});
  BOOST_TEST(base::read_file(depot_file("engine", "1.0")) == before);
  BOOST_TEST(!has(said, "depot fill"), said);
  done({"depot", "verify"});
}

BOOST_AUTO_TEST_CASE(a_list_tells_what_is_in_it) {
  const std::string file = back_up();
  const std::string list = done({"restore", file, "--list"});
  for (const std::string& part :
       {std::string("goldsmith 1."), std::string("depot: 1 version, configuration: "),
        std::string("database.sql"), path("followed/owner+plugins/upstream.json").string()}) {
    BOOST_TEST(has(list, part), part << " in " << list);
  }
  BOOST_TEST(!has(list, "archives"), list);
  const json::Value rows = json::parse(done({"restore", file, "--list", "--json"}));
  BOOST_TEST_REQUIRE(rows.as_array());
  BOOST_TEST(rows.as_array()->size() > 10);
}

BOOST_AUTO_TEST_CASE(a_dead_database_fails_and_leaves_the_former_backup_whole) {
  const std::string file = back_up();
  const std::string before = base::read_file(file);
  const std::string conf = base::read_file(path("goldsmith.conf"));
  std::string dead = conf;
  const auto rows = database().query("SELECT @@socket");
  BOOST_TEST_REQUIRE(rows->next());
  replace_in(dead, "socket = ", "socket = /nowhere");
  write("goldsmith.conf", dead);
  BOOST_TEST(has(failed({"backup", path("backups").string(), "--keep", "1"}), "database: "));
  BOOST_TEST(base::read_file(file) == before);
  BOOST_TEST(backups().size() == 1);
}

BOOST_AUTO_TEST_CASE(a_dump_without_its_end_is_none) {
  // A program that says it was done.
  const std::string folder = path("torn").string();
  for (const char* name : {"mariadb-dump", "mysqldump"}) {
    const bool is_mariadb = !std::getenv("MYSQL_TREE");
    write(std::string("torn/") + name,
          std::string("#!/bin/sh\n[ \"$1\" = --version ] && echo ") +
              (is_mariadb ? "MariaDB" : "MySQL") +
              " && exit 0\nfor each; do case $each in --result-file=*) echo 'CREATE TABLE x' "
              ">\"${each#*=}\" ;; esac; done\n");
    fs::permissions(path(std::string("torn/") + name), fs::perms(0755));
  }
  const std::string search = std::getenv("PATH");
  ::setenv("PATH", (folder + ":" + search).c_str(), 1);
  const std::string said = failed({"backup", path("backups").string()});
  ::setenv("PATH", search.c_str(), 1);
  BOOST_TEST(has(said, "the dump of the database has no end"), said);
  BOOST_TEST(backups().empty());
}

BOOST_AUTO_TEST_CASE(the_oldest_go_and_nothing_else) {
  const std::string file = back_up();
  const std::string start = fs::path(file).filename().string().substr(
      0, fs::path(file).filename().string().size() - std::string("20260131-040000.tar.gz").size());
  fs::remove(file);
  const std::vector<std::string> others = {start + "20250103-000000.tar.gz.new",
                                           "goldsmith-another.example-20250101-000000.tar.gz",
                                           "other.tar.gz"};
  for (const std::string& name : others) write("backups/" + name, "");
  for (const char* time : {"20250101-000000", "20250102-000000", "20990101-000000"}) {
    write("backups/" + start + time + ".tar.gz", "");
  }
  // By a clock that was wrong, one of them is newer than the one that is made now.
  const std::string said = done({"backup", path("backups").string(), "--keep", "2"});
  std::vector<std::string> left = backups();
  BOOST_TEST(left.size() == others.size() + 2);
  for (const std::string& name : others) BOOST_TEST(std::ranges::count(left, name) == 1, name);
  BOOST_TEST(fs::exists(said.substr(0, said.find(", "))), said);
  BOOST_TEST(fs::exists(path("backups/" + start + "20990101-000000.tar.gz")));
  BOOST_TEST(has(failed({"backup", "-", "--keep", "2"}, 2), "--keep needs a FOLDER"));
}

BOOST_AUTO_TEST_CASE(what_is_damaged_or_forged_changes_nothing) {
  const std::string file = back_up();
  lose_everything();
  const std::string whole = base::read_file(file);
  const auto refused = [&](const std::string& copy, const std::string& reason) {
    const std::string said = failed({"restore", copy});
    BOOST_TEST(has(said, reason), reason << " in " << said);
    BOOST_TEST(files().empty());
    BOOST_TEST(tables().empty());
  };
  refused(write("backups/torn.tar.gz", whole.substr(0, whole.size() / 2)), "truncated");
  refused(write("backups/other.tar.gz", "no archive"), "no backup of goldsmith");
  refused(changed(file, [](Members& members) { members[2].second[0] ^= 1; }), "is not what it was");
  refused(changed(file, [](Members& members) { members.pop_back(); }),
          "is not where its manifest says");
  refused(changed(file, [](Members& members) { members.emplace_back("host/etc/more", "x"); }),
          "more than its manifest says");
  const auto with = [&](const std::string& from, const std::string& to) {
    return changed(file, [&](Members& members) { replace_in(members[0].second, from, to); });
  };
  const std::string logo = path("logo.svg").string();
  refused(with(logo + "\"", path("../logo.svg").string() + "\""), "is no entry of a backup");
  refused(with(logo + "\"", "logo.svg\""), "is no entry of a backup");
  refused(with(logo + "\"", path("keys/0123.asc/logo.svg").string() + "\""),
          "lies below a file or link");
  refused(with("\"format\": 1", "\"format\": 2"), "its format is 2");
  refused(with("\"schema\": ", "\"schema\": 9"), "install goldsmith 1.");
  // A path that the configuration in it does not name, with its content.
  refused(changed(file,
                  [&](Members& members) {
                    replace_in(members[0].second, logo + "\"", "/etc/cron.d/x\"");
                    for (auto& [name, content] : members) {
                      if (name == "host" + logo) name = "host/etc/cron.d/x";
                    }
                  }),
          "/etc/cron.d/x: no backup of goldsmith has that path");
  BOOST_TEST(!fs::exists("/etc/cron.d/x"));
}

BOOST_AUTO_TEST_CASE(other_files_are_in_the_way_and_comments_are_not) {
  const std::string file = back_up();
  lose_everything();
  write("goldsmith.conf", "# as the package has it\n");
  write("keys/0123.asc", "another");
  const std::string said = failed({"restore", file});
  BOOST_TEST(has(said, "other files than the backup: DIR/keys/0123.asc; --replace"), said);
  BOOST_TEST(tables().empty());
  fs::remove(path("keys/0123.asc"));
  done({"restore", file});
}

BOOST_AUTO_TEST_CASE(what_was_withdrawn_on_this_host_since_is_withdrawn_again) {
  const std::string file = back_up();
  done({"plugin", "unpublish", "alpha"});
  empty_database();
  const std::string said = done({"restore", file});
  BOOST_TEST(has(said, "withdrew plugin alpha\n"), said);
  BOOST_TEST(!has(done({"plugin", "list", "--json"}), "\"published\""));
}

BOOST_AUTO_TEST_CASE(links_of_others_lead_nowhere) {
  fs::create_symlink("/etc/passwd", path("followed/owner+plugins/passwd"));
  const std::string said = done({"backup", path("backups").string()});
  BOOST_TEST(has(said, "not in the backup: " + path("followed/owner+plugins/passwd").string() +
                           ": it is a link to /etc/passwd\n"),
             said);
  for (const auto& [name, content] : read_members(path("backups") / backups().front())) {
    BOOST_TEST(!has(content, "root:x:0:0"), name);
  }
}

BOOST_AUTO_TEST_CASE(the_doctor_tells_what_nothing_follows_and_an_old_backup) {
  BOOST_TEST(!has(call({"doctor"}).out, "backup: "));
  back_up();
  BOOST_TEST(has(call({"doctor"}).out, "  backup: the last one is of "));
  write("last-backup", "2025-01-01 00:00:00 /srv/backup/goldsmith.tar.gz\n");
  fs::remove_all(path("followed"));
  const std::string said = call({"doctor"}).out;
  BOOST_TEST(has(said, "! backup: the last one is of 2025-01-01"), said);
  BOOST_TEST(has(said, "! followed plugins: of 1 plugin with an upstream, "), said);
  BOOST_TEST(!fs::exists(path("followed")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
