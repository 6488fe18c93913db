// What was withdrawn after a backup: it is recorded beside the database, and withdrawn again.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <sstream>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace {

struct BackedUpHost : OperatorHost {
  BackedUpHost() {
    BOOST_TEST(done({"key", "create", "--name", "panel"}).starts_with("svck_"));
    BOOST_TEST(done({"key", "create", "--name", "other"}).starts_with("svck_"));
    for (const char* slug : {"alpha", "beta", "gamma"}) {
      done({"plugin", "import", write_plugin(slug)});
      done({"plugin", "publish", slug});
    }
    const std::string pack =
        R"({"slug": "all", "name": "All", "description": "", "plugins": ["beta"],
                                 "status": "published"})";
    done({"addon", "import", write("all.json", pack)});
    import_component("engine");
    for (const char* version : {"1.0", "1.1"}) {
      done({"component", "mirror", "engine", "--version", version, "--archive",
            write_zip(std::string(version) + ".zip", {{"engine.so", version}})});
    }
    run("mariadb-dump", "mysqldump", '>');
  }

  void restore() { run("mariadb", "mysql", '<'); }

  // Names in the order of the file, with what became of each.
  std::string recorded() const {
    std::string lines;
    std::istringstream text(base::read_file(path("withdrawals")));
    for (std::string line; std::getline(text, line);) lines += line.substr(20) + '\n';
    return lines;
  }

  std::string value(const std::string& sql) {
    const auto rows = database().query(sql);
    BOOST_TEST_REQUIRE(rows->next());
    return rows->text(1);
  }

  std::string sha256_of(const std::string& key) {
    const auto rows = database().query("SELECT sha256 FROM api_keys WHERE name = ?", {key});
    BOOST_TEST_REQUIRE(rows->next());
    return rows->text(1);
  }

 private:
  // The program of the server that is tested: MariaDB's dump of MySQL's generated columns can't be
  // restored.
  void run(const std::string& mariadb, const std::string& mysql, char direction) {
    std::string program = mariadb;
    if (const char* const folder = std::getenv("MYSQL_TREE")) {
      const std::string tree = folder;
      program = tree + "/lib64/ld-linux-x86-64.so.2 --library-path " + tree +
                "/usr/lib/x86_64-linux-gnu " + tree + "/usr/bin/" + mysql;
    }
    const auto rows = database().query("SELECT DATABASE(), @@socket");
    BOOST_TEST_REQUIRE(rows->next());
    const std::string command = program + " --no-defaults --user=root '--socket=" + rows->text(2) +
                                "' " + rows->text(1) + ' ' + direction + " '" +
                                path("backup.sql").string() + "'";
    BOOST_TEST(std::system(command.c_str()) == 0, command);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(withdrawals, BackedUpHost)

BOOST_AUTO_TEST_CASE(a_restored_backup_does_not_bring_back_what_was_withdrawn_since) {
  BOOST_TEST(!std::filesystem::exists(path("withdrawals")));
  const std::string panel = "key " + sha256_of("panel");
  const std::string other = "key " + sha256_of("other");
  done({"key", "disable", "1"});
  done({"key", "remove", "2"});
  done({"plugin", "unpublish", "alpha"});
  done({"addon", "unpublish", "all"});
  done({"plugin", "remove", "gamma"});
  done({"component", "unmirror", "engine", "1.1", "--force"});
  BOOST_TEST(recorded() ==
             "withdrawn " + panel + "\nwithdrawn " + other +
                 "\nwithdrawn plugin alpha\nwithdrawn pack all\nwithdrawn plugin gamma\n"
                 "withdrawn plugin gamma 1.0\nwithdrawn component engine 1.1\n"
                 "withdrawn offered engine 1.1\n");
  struct stat status{};
  BOOST_REQUIRE(::stat(path("withdrawals").c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0640);
  BOOST_TEST(done({"db", "withdraw"}) ==
             "Nothing that " + path("withdrawals").string() + " names as withdrawn is public.\n");

  restore();
  BOOST_TEST(call({"doctor"}).out.find("! withdrawals: 8 names in ") != std::string::npos);
  const std::string list = done({"db", "withdraw", "--dry-run"});
  BOOST_TEST(list.starts_with("would withdraw component engine 1.1\nwould withdraw key "), list);
  BOOST_TEST(list.find("would withdraw key 1 (panel)\n") != std::string::npos, list);
  BOOST_TEST(done({"db", "withdraw"}).find("withdrew key 2 (other)\n") != std::string::npos);
  BOOST_TEST(value("SELECT COUNT(*) FROM api_keys WHERE disabled") == "2");
  BOOST_TEST(value("SELECT GROUP_CONCAT(slug) FROM plugins WHERE status = 'published'") == "beta");
  BOOST_TEST(value("SELECT status FROM addon_packs") == "draft");
  BOOST_TEST(value("SELECT GROUP_CONCAT(version) FROM component_versions") == "1.0");
  BOOST_TEST(call({"doctor"}).out.find("  withdrawals: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_was_made_public_again_stays_and_imports_count) {
  done({"key", "disable", "1"});
  done({"key", "enable", "1"});
  done({"plugin", "unpublish", "alpha", "1.0"});
  done({"plugin", "publish", "alpha", "1.0"});
  // The manifest of now has no version 1.0 any more.
  write_plugin("beta");
  std::string manifest = base::read_file(path("beta/plugin.json"));
  manifest.replace(manifest.find("\"1.0\""), 5, "\"2.0\"");
  done({"plugin", "import", write("beta/plugin.json", manifest)});
  restore();
  BOOST_TEST(done({"db", "withdraw"}) == "withdrew plugin beta 1.0\n");
  BOOST_TEST(value("SELECT COUNT(*) FROM api_keys WHERE disabled") == "0");
}

BOOST_AUTO_TEST_CASE(a_withdrawal_is_done_though_it_can_not_be_recorded) {
  std::filesystem::create_directory(path("withdrawals"));
  const Called called = call({"key", "disable", "1"});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(
      called.err.starts_with("goldsmith: what this command has withdrawn is not recorded in "),
      called.err);
  BOOST_TEST(value("SELECT disabled FROM api_keys WHERE id = 1") == "1");
}

BOOST_AUTO_TEST_CASE(a_withdrawal_does_not_wait_for_whoever_keeps_the_record_locked) {
  write("withdrawals", "");
  const base::UniqueFd other = base::open_file(path("withdrawals"), O_RDONLY);
  BOOST_REQUIRE(::flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  const Called called = call({"key", "disable", "1"});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.err.find("another process keeps it locked") != std::string::npos, called.err);
  BOOST_TEST(value("SELECT disabled FROM api_keys WHERE id = 1") == "1");
}

BOOST_AUTO_TEST_CASE(without_the_file_it_says_so_and_half_a_line_is_passed_over) {
  BOOST_TEST(
      failed({"db", "withdraw"}) ==
      "goldsmith: DIR/withdrawals: there is none; put its copy back, or go on if nothing was "
      "ever withdrawn\n");
  write("withdrawals", "2026-01-01 00:00:00 withdrawn plugin al");
  done({"plugin", "unpublish", "alpha"});
  restore();
  BOOST_TEST(done({"db", "withdraw"}) == "withdrew plugin alpha\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
