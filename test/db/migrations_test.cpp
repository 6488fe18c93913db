#include "db/migrations.hpp"

#include <boost/algorithm/string/finder.hpp>
#include <boost/algorithm/string/iter_find.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <future>
#include <regex>
#include <set>
#include <thread>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/version_order.hpp"
#include "db/component_store.hpp"
#include "db/connection.hpp"
#include "db/download_log.hpp"
#include "db/migrations.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith::db;
using goldsmith::test::ask;
using goldsmith::test::TestDatabase;

namespace {

struct Empty {
  TestDatabase test_database{TestDatabase::Schema::empty};
  Database database{test_database.settings()};

  std::string tables() {
    return ask(database,
               "SELECT GROUP_CONCAT(table_name ORDER BY table_name) FROM information_schema.tables"
               " WHERE table_schema = DATABASE()");
  }
};

struct Killed {};

// What the tables are, in words that do not depend on how they came to be.
std::string shape(Database& database) {
  database.run("SET SESSION group_concat_max_len = 1000000");
  return ask(database,
             "SELECT GROUP_CONCAT(CONCAT_WS(' ', table_name, column_name, column_type, is_nullable,"
             " column_default) ORDER BY table_name, column_name SEPARATOR '\n')"
             " FROM information_schema.columns WHERE table_schema = DATABASE()") +
         ask(database,
             "SELECT GROUP_CONCAT(CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name)"
             " ORDER BY table_name, index_name, seq_in_index SEPARATOR '\n')"
             " FROM information_schema.statistics WHERE table_schema = DATABASE()");
}

std::vector<std::string> statements_of(const Migration& migration) {
  std::vector<std::string> statements;
  boost::algorithm::iter_split(statements, migration.sql, boost::algorithm::first_finder(";\n"));
  statements.pop_back();  // behind the last one
  return statements;
}

struct NamesBothFiles {
  bool operator()(const MigrationError& error) const {
    return std::string(error.what()).find(part) != std::string::npos;
  }
  std::string part;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(migrations, Empty)

BOOST_AUTO_TEST_CASE(they_are_numbered_from_one_without_gaps) {
  int number = 0;
  for (const Migration& migration : known_migrations()) {
    BOOST_TEST(migration.number == ++number);
    BOOST_TEST(!migration.name.empty());
    const bool creates = migration.sql.find("CREATE TABLE") != std::string::npos;
    const bool alters = migration.sql.find("ALTER TABLE") != std::string::npos;
    const bool updates = migration.sql.find("UPDATE ") != std::string::npos;  // what is read again
    BOOST_TEST((creates || alters || updates), migration.name);
  }
  BOOST_TEST(number > 0);
}

BOOST_AUTO_TEST_CASE(an_empty_database_has_all_of_them_pending) {
  BOOST_TEST(!is_current(database));
  const auto status = migration_status(database);
  BOOST_REQUIRE(status.size() == known_migrations().size());
  for (const MigrationStatus& each : status) BOOST_TEST(!each.applied_at);
  BOOST_TEST(tables() == "");  // asking changes nothing
}

BOOST_AUTO_TEST_CASE(all_are_applied_in_order_and_a_second_run_changes_nothing) {
  const auto applied = migrate(database);
  BOOST_TEST(applied.size() == known_migrations().size());
  BOOST_TEST(is_current(database));
  for (const MigrationStatus& each : migration_status(database)) {
    BOOST_TEST(each.applied_at.has_value());
  }
  const std::string sum = "SELECT GROUP_CONCAT(number, digest, applied_at) FROM schema_migrations";
  const std::string before = ask(database, sum);
  BOOST_TEST(migrate(database).empty());
  BOOST_TEST(ask(database, sum) == before);
}

BOOST_AUTO_TEST_CASE(every_table_is_innodb_utf8_and_binary) {
  migrate(database);
  BOOST_TEST(ask(database,
                 "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
                 " AND (engine <> 'InnoDB' OR table_collation <> 'utf8mb4_bin')") == "0");
  BOOST_TEST(ask(database,
                 "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE()"
                 " AND collation_name <> 'utf8mb4_bin'") == "0");
}

BOOST_AUTO_TEST_CASE(a_newer_schema_is_refused_and_named) {
  migrate(database);
  database.run(
      "INSERT INTO schema_migrations VALUES (9000, 'future', REPEAT('0', 64), UTC_TIMESTAMP())");
  BOOST_TEST(!is_current(database));
  BOOST_CHECK_EXCEPTION(migrate(database), MigrationError, NamesBothFiles{"9000_future"});
  BOOST_TEST(migration_status(database).back().number == 9000);
}

BOOST_AUTO_TEST_CASE(a_file_that_changed_after_it_was_applied_is_refused_and_named) {
  const std::vector<Migration> first = {{1, "one", "CREATE TABLE a (id INT);\n"}};
  std::vector<Migration> second = {{1, "one", "CREATE TABLE a (id BIGINT);\n"},
                                   {2, "two", "CREATE TABLE b (id INT);\n"}};
  migrate(database, first);
  BOOST_CHECK_EXCEPTION(migrate(database, second), MigrationError, NamesBothFiles{"0001_one"});
  BOOST_TEST(tables() == "a,command_locks,schema_migrations");
  second[0] = first[0];
  BOOST_TEST(migrate(database, second).size() == 1U);
}

BOOST_AUTO_TEST_CASE(one_that_fails_in_its_middle_is_pending_and_can_be_run_again) {
  std::vector<Migration> broken = {
      {1, "one", "CREATE TABLE IF NOT EXISTS a (id INT);\nCREATE TABLE b (id NONSENSE);\n"}};
  try {
    migrate(database, broken);
    BOOST_FAIL("the broken migration was applied");
  } catch (const Error& error) {
    BOOST_TEST(std::string(error.what()).find("migration 0001_one") == 0U);
  }
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM schema_migrations") == "0");
  broken[0].sql = "CREATE TABLE IF NOT EXISTS a (id INT);\nCREATE TABLE b (id INT);\n";
  BOOST_TEST(migrate(database, broken).size() == 1U);
}

BOOST_AUTO_TEST_CASE(one_that_finds_no_room_says_so_and_is_run_again_once_there_is) {
  // A table in memory has little.
  const std::vector<Migration> one = {
      {1, "one",
       "CREATE TABLE IF NOT EXISTS a (id INT) ENGINE=MEMORY;\n"
       "INSERT INTO a WITH RECURSIVE n AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM n WHERE id"
       " < 900) SELECT x.id FROM n AS x, n AS y WHERE y.id < 30;\n"}};
  database.run("SET SESSION max_heap_table_size = 16384");
  try {
    migrate(database, one);
    BOOST_FAIL("the table had room");
  } catch (const Error& error) {
    const std::string text = error.what();
    BOOST_TEST(text.find("migration 0001_one") == 0U);
    BOOST_TEST(text.ends_with("is the disk of the database server full?"));
  }
  database.run("DROP TABLE a");
  database.run("SET SESSION max_heap_table_size = 16777216");
  BOOST_TEST(migrate(database, one).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_change_may_take_longer_than_what_a_request_waits_for) {
  const std::vector<Migration> slow = {{1, "one", "CREATE TABLE a (id INT);\nDO SLEEP(1.5);\n"}};
  ConnectionSettings settings = test_database.settings();
  settings.read_timeout = std::chrono::seconds(1);
  BOOST_TEST(migrate(settings, slow).size() == 1U);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM schema_migrations") == "1");
}

BOOST_AUTO_TEST_CASE(a_change_waits_for_who_reads_its_table_and_lets_others_read_meanwhile) {
  database.run("CREATE TABLE a (id INT) ENGINE=InnoDB");
  const std::vector<Migration> one = {{1, "one", "ALTER TABLE a ADD COLUMN more INT;\n"}};
  Database reader(test_database.settings());
  std::future<std::size_t> migration;
  reader.transaction([&] {
    ask(reader, "SELECT COUNT(*) FROM a");
    migration = std::async(std::launch::async,
                           [&] { return migrate(test_database.settings(), one).size(); });
    const auto waits = [&] {
      return ask(database,
                 "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'ALTER%more%'"
                 " AND state LIKE 'Waiting for table metadata lock'") != "0";
    };
    for (const bool now : {true, false, true}) {
      while (waits() != now) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  BOOST_TEST(migration.get() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_no_schema_change_is_undone_when_a_later_statement_fails) {
  database.run("CREATE TABLE a (id INT) ENGINE=InnoDB");
  const std::vector<Migration> broken = {
      {1, "one", "INSERT INTO a VALUES (1);\nINSERT INTO missing VALUES (1);\n"}};
  BOOST_CHECK_THROW(migrate(database, broken), Error);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM a") == "0");
}

// What is left of a migration whose program or server was killed: the server commits at each change
// of a table, and takes back what else was not committed.
BOOST_AUTO_TEST_CASE(each_can_be_run_again_that_was_killed_behind_any_of_its_statements) {
  TestDatabase other(TestDatabase::Schema::empty);
  Database whole(other.settings());
  const std::vector<Migration> all = known_migrations();
  const auto fill = [](Database& to) {
    to.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
        " VALUES ('old', 'Old', 'fun', 'A', 'MIT', '', '1.9', 'published', 7, 2, 41, '1.0', 'old',"
        " '2024-01-01')");
  };
  std::size_t kills = 0;
  for (std::size_t count = 1; count <= all.size(); ++count) {
    const std::vector<Migration> known(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(count));
    migrate(whole, known);
    const std::vector<std::string> statements = statements_of(known.back());
    for (std::size_t done = 1; done <= statements.size(); ++done, ++kills) {
      const auto run_some = [&] {
        for (std::size_t i = 0; i < done; ++i) database.run(statements[i]);
        throw Killed();
      };
      BOOST_CHECK_THROW(database.transaction(run_some), Killed);
    }
    BOOST_TEST(migrate(database, known).size() == 1U);
    if (count == 8) {
      fill(whole);
      fill(database);
    }
  }
  BOOST_TEST(kills > all.size());
  BOOST_TEST(is_current(database));
  BOOST_TEST(shape(database) == shape(whole));
  const std::string row =
      "SELECT CONCAT_WS(' ', name, author, license, rating_sum, rating_count, latest_version,"
      " downloads, updated_at) FROM plugins WHERE slug = 'old'";
  BOOST_TEST(ask(database, row) == ask(whole, row));
}

BOOST_AUTO_TEST_CASE(downloads_are_the_same_behind_the_change_to_counters_apart) {
  std::vector<Migration> older = known_migrations();
  std::vector<Migration> all = older;
  older.resize(8);
  migrate(database, older);
  database.run(
      "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
      " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
      " VALUES ('old', '', 'fun', '', '', '', '1.9', 'published', 0, 0, 41, '', '',"
      " '2024-01-01 00:00:00')");
  migrate(database, all);
  goldsmith::db::PluginStore store(database);
  const auto downloads = [&] { return store.find("old")->downloads; };
  BOOST_TEST(downloads() == 41);
  // A worker of the version before, until it is replaced.
  database.run("UPDATE plugins SET downloads = downloads + 1 WHERE slug = 'old'");
  goldsmith::db::DownloadLog(database).record(
      {goldsmith::test::kNow, "old", "1.0", "sma", "", "192.0.2.1", "ok", 0});
  BOOST_TEST(downloads() == 43);
  database.run("DELETE FROM schema_migrations WHERE number = 9");
  migrate(database, all);
  BOOST_TEST(downloads() == 43);
}

BOOST_AUTO_TEST_CASE(names_of_cvars_and_commands_are_taken_from_what_is_stored) {
  const std::vector<Migration> all = known_migrations();
  const auto own = std::find_if(all.begin(), all.end(),
                                [](const Migration& each) { return each.name == "console_names"; });
  BOOST_REQUIRE((own != all.end()));
  migrate(database, {all.begin(), own});
  const auto add = [&](const std::string& slug, const std::string& about) {
    database.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at,"
        " about) VALUES ('" +
        slug +
        "', '', 'fun', '', '', '', '1.9', 'published', 0, 0, 0, '', '',"
        " '2024-01-01 00:00:00', " +
        about + ")");
  };
  add("none", "NULL");
  add("damaged", "'{'");
  add("text", R"('{"description":"at length"}')");
  add("names",
      R"('{"commands":[{"name":"amx_a"},{"name":"say /ж"}],"cvars":[{"default":"x","name":"b"}]}')");
  for (int i = 0; i < 2; ++i) {
    migrate(database, all);
    const auto names = [&](const std::string& slug) {
      return ask(database, "SELECT COALESCE(console, '') FROM plugins WHERE slug = '" + slug + "'");
    };
    BOOST_TEST(names("none") == "");
    BOOST_TEST(names("damaged") == "");
    BOOST_TEST(names("text") == "");
    // MariaDB and MySQL have them in different orders.
    BOOST_TEST(std::set<std::string>({"amx a say ж b", "b amx a say ж"})
                   .contains(goldsmith::base::folded_words(names("names"))));
    database.run("DELETE FROM schema_migrations WHERE number = " + std::to_string(own->number));
  }
}

BOOST_AUTO_TEST_CASE(upstreams_of_an_older_schema_are_kept_and_workers_of_that_version_still_read) {
  std::vector<Migration> older = known_migrations();
  std::vector<Migration> all = older;
  older.resize(6);
  migrate(database, older);
  database.run(
      "INSERT INTO components (slug, name, description, homepage, license, layer, is_default,"
      " selectable, sort_order, upstream_github, upstream_asset, upstream_url, loads_gamedll,"
      " loads_metamod_loader, loads_metamod_plugin, loads_toolchain) VALUES"
      " ('hub', '', '', '', '', 'engine', 0, 1, 0, 'owner/repo', '*.zip', '', '', '', '', ''),"
      " ('web', '', '', '', '', 'engine', 0, 1, 0, '', '', 'https://h/{version}.zip', '', '', '',"
      " ''),"
      " ('hand', '', '', '', '', 'engine', 0, 1, 0, '', '', '', '', '', '', '')");
  all.resize(7);
  migrate(database, all);
  migrate(database);  // those after it leave them alone
  const goldsmith::domain::Catalog catalog = ComponentStore(database).load_catalog();
  goldsmith::domain::Upstream hub;
  hub.github = "owner/repo";
  hub.assets = {"*.zip"};
  goldsmith::domain::Upstream web;
  web.urls = {"https://h/{version}.zip"};
  BOOST_CHECK(catalog.find("hub")->upstream == hub);
  BOOST_CHECK(catalog.find("web")->upstream == web);
  BOOST_TEST(catalog.find("hand")->upstream.empty());
  BOOST_TEST(ask(database, "SELECT upstream_github FROM components WHERE slug = 'hub'") ==
             "owner/repo");
  // Run again, as after a failure in its middle, it changes nothing.
  database.run("DELETE FROM schema_migrations WHERE number = 7");
  migrate(database);
  BOOST_TEST(ask(database, "SELECT COUNT(*) FROM component_upstream_files") == "2");
}

BOOST_AUTO_TEST_CASE(what_strangers_dated_in_the_future_is_of_now_and_an_operators_date_stays) {
  const std::vector<Migration> all = known_migrations();
  const auto own = std::find_if(all.begin(), all.end(),
                                [](const Migration& each) { return each.name == "sources"; });
  BOOST_REQUIRE((own != all.end()));
  migrate(database, {all.begin(), own});
  database.run(
      "INSERT INTO plugin_versions (version, created_at, status, verdicts, origin) VALUES"
      " ('1.0', '2024-01-01', 'published', '', '{}'), ('1.1', '2100-01-01', 'published', '', '{}'),"
      " ('1.2', '2100-01-01', 'published', '', NULL)");
  for (int i = 0; i < 2; ++i) {
    migrate(database, all);
    BOOST_TEST(
        ask(database,
            "SELECT GROUP_CONCAT(CONCAT(version, IF(created_at <= UTC_TIMESTAMP(), ' is past',"
            " '')) ORDER BY version SEPARATOR ', ') FROM plugin_versions") ==
        "1.0 is past, 1.1 is past, 1.2");
    BOOST_TEST(ask(database,
                   "SELECT COUNT(*) FROM plugin_versions WHERE created_at = '2024-01-01'") == "1");
    database.run("DELETE FROM schema_migrations WHERE number = " + std::to_string(own->number));
  }
}

BOOST_AUTO_TEST_CASE(holds_of_an_older_schema_are_of_the_kind_that_their_reasons_tell) {
  const std::vector<Migration> all = known_migrations();
  const auto own = std::find_if(
      all.begin(), all.end(), [](const Migration& each) { return each.name == "kinds_of_holds"; });
  BOOST_REQUIRE((own != all.end()));
  migrate(database, {all.begin(), own});
  database.run("SET foreign_key_checks = 0");
  const auto add = [&](const std::string& version, const std::string& reason) {
    database.execute(
        "INSERT INTO component_versions (component_id, version, size_bytes, file_count, digest,"
        " held_reason, held_at) VALUES (1, ?, 0, 0, '', NULLIF(?, ''), IF(? = '', NULL, NOW()))",
        {version, reason, reason});
  };
  using namespace goldsmith::domain;
  add("1",
      "it is being mirrored, and was not started yet; if this stays, mirroring was interrupted");
  add("2", "The recommended server crashes.");
  add("3", "the recommended server loads less with it: 0 plugins, 1 before");
  add("4", text_of(Doubt::unproven, "owner/name"));
  add("5", text_of(Doubt::rewritten, "owner/name") + "; " + told(VersionStep::leap, "2.0"));
  add("6", told(VersionStep::date, "2.0"));
  add("7", "");
  for (int i = 0; i < 2; ++i) {
    migrate(database, all);
    BOOST_TEST(ask(database,
                   "SELECT GROUP_CONCAT(IFNULL(held_kind, 'none') ORDER BY version SEPARATOR ' ')"
                   " FROM component_versions") == "unstarted hand start doubt doubt step none");
    database.run("DELETE FROM schema_migrations WHERE number = " + std::to_string(own->number));
  }
}

BOOST_AUTO_TEST_CASE(plugins_of_an_older_schema_come_from_nowhere_and_older_programs_still_write) {
  const std::vector<Migration> all = known_migrations();
  const auto own = std::find_if(all.begin(), all.end(),
                                [](const Migration& each) { return each.name == "origins"; });
  BOOST_REQUIRE((own != all.end()));
  migrate(database, {all.begin(), own});
  const auto add = [&](const std::string& slug) {
    database.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
        " VALUES ('" +
        slug + "', '', 'fun', '', '', '', '1.9', 'published', 0, 0, 0, '1.0', '', '2024-01-01')");
    database.run(
        "INSERT INTO plugin_versions (plugin_id, version, created_at, status, verdicts)"
        " SELECT id, '1.0', '2024-01-01', 'published', '' FROM plugins WHERE slug = '" +
        slug + "'");
  };
  add("before");
  migrate(database, all);
  add("after");
  goldsmith::db::PluginStore store(database);
  for (const goldsmith::domain::Slug& slug : {goldsmith::domain::Slug("before"), {"after"}}) {
    const auto found = store.find_any(slug);
    BOOST_REQUIRE((found && found->versions.size() == 1U));
    BOOST_TEST(found->upstream.empty());
    BOOST_CHECK(found->versions[0].origin == goldsmith::domain::VersionOrigin{});
    BOOST_TEST(found->versions[0].held == "");
  }
  // Run again, as after a failure in its middle, it keeps what there is.
  store.set_upstream("before", {"owner/name", "", "commits", "", {}}, goldsmith::test::kNow);
  database.run("DELETE FROM schema_migrations WHERE number = " + std::to_string(own->number));
  migrate(database, all);
  BOOST_TEST(store.find_any("before")->upstream.repository == "owner/name");
}

BOOST_AUTO_TEST_CASE(comments_and_empty_statements_are_skipped) {
  const std::vector<Migration> commented = {
      {1, "one", "-- Nothing; yet;\n\n;\n-- A table.\nCREATE TABLE a (id INT);\n-- The end\n"}};
  BOOST_TEST(migrate(database, commented).size() == 1U);
  BOOST_TEST(tables() == "a,command_locks,schema_migrations");
}

BOOST_AUTO_TEST_CASE(two_at_once_apply_each_of_them_once) {
  const auto settings = test_database.settings();
  const auto run = [&settings] {
    Database own(settings);
    return migrate(own).size();
  };
  auto first = std::async(std::launch::async, run);
  auto second = std::async(std::launch::async, run);
  auto third = std::async(std::launch::async, run);
  BOOST_TEST(first.get() + second.get() + third.get() == known_migrations().size());
  BOOST_TEST(is_current(database));
}

BOOST_AUTO_TEST_CASE(migrations_of_two_databases_do_not_wait_for_each_other) {
  const TestDatabase another(TestDatabase::Schema::empty);
  const std::string lock = "goldsmith:" + goldsmith::base::md5_hex(test_database.name());
  BOOST_TEST(ask(database, "SELECT GET_LOCK('" + lock + "', 0)") == "1");
  Database other(another.settings());
  BOOST_TEST(migrate(other).size() == known_migrations().size());
}

BOOST_AUTO_TEST_CASE(a_migration_waits_for_that_of_another_node_until_it_no_longer_counts) {
  using namespace std::chrono_literals;
  migrate(database);
  const std::string here = ask(database, "SELECT server FROM command_locks");
  database.run("UPDATE command_locks SET holder = 'other', server = 'elsewhere'");
  goldsmith::db::NamedLock refused(database, "migration", 200ms);
  BOOST_TEST(!refused.is_taken());
  // One of this server, which is not there any more.
  database.execute("UPDATE command_locks SET server = ?", {here});
  goldsmith::db::NamedLock taken(database, "migration", 0ms);
  BOOST_TEST(taken.is_taken());
  database.transaction([&] { taken.check(); });
  database.run("UPDATE command_locks SET holder = 'thief'");
  BOOST_CHECK_THROW(database.transaction([&] { taken.check(); }), Error);
}

// Workers of the version before go on with the new schema (decision O8).
BOOST_AUTO_TEST_CASE(a_migration_that_takes_something_away_says_so) {
  const std::regex takes_away(
      "\\b(DROP|RENAME|CHANGE|TRUNCATE)\\s+(TABLE|COLUMN|INDEX|KEY|TO|`|[a-z])");
  for (const Migration& migration : known_migrations()) {
    const std::string sql = std::regex_replace(migration.sql, std::regex("--[^\n]*|'[^']*'"), "");
    const bool contracts = migration.sql.starts_with("-- contract\n");
    BOOST_TEST(contracts == std::regex_search(sql, takes_away), migration.name);
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_neither_or_too_old_is_refused) {
  for (const char* version : {"10.11.19-MariaDB-0+deb12u1", "11.8.6-MariaDB", "12.1.2-MariaDB",
                              "8.0.44", "8.4.7-commercial", "9.7.4-2", "8.0.42-33"}) {
    BOOST_TEST(!version_objection(version, "(Debian)"), version);
  }
  for (const char* version : {"10.6.22-MariaDB", "5.5.62-MariaDB", "5.7.44-log"}) {
    BOOST_TEST(version_objection(version, "").value().problem.find("too old") != std::string::npos,
               version);
  }
  BOOST_TEST(version_objection("8.0.11-TiDB-v8.5.0", "TiDB Server").has_value());
  BOOST_TEST(version_objection("8.0.33", "Dolt").has_value());
  BOOST_TEST(version_objection("unknown", "").has_value());
}

BOOST_AUTO_TEST_CASE(
    a_session_or_a_table_that_somebody_changed_is_refused_before_anything_changes) {
  const auto is_refused_for = [&](const std::string& part) {
    BOOST_CHECK_EXCEPTION(migrate(database), MigrationError, NamesBothFiles{part});
    BOOST_TEST(ask(database, "SHOW TABLES") == "");
  };
  for (const auto& [change, undo, part] :
       {std::tuple{"SET sql_mode = 'ANSI'", "SET sql_mode = 'STRICT_ALL_TABLES'", "sql_mode"},
        std::tuple{"SET time_zone = '+05:30'", "SET time_zone = '+00:00'", "+05:30"},
        std::tuple{"SET NAMES latin1", "SET NAMES utf8mb4", "latin1_swedish_ci"}}) {
    database.run(change);
    is_refused_for(part);
    database.run(undo);
  }
  Database fresh(test_database.settings());
  migrate(fresh);
  fresh.run("ALTER TABLE plugins CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
  fresh.run("CREATE TABLE of_somebody_else (word VARCHAR(8)) COLLATE utf8mb4_general_ci");
  BOOST_CHECK_EXCEPTION(migrate(fresh), MigrationError, NamesBothFiles{"ALTER TABLE plugins "});
  fresh.run(server_objection(fresh).value().remedy);
  BOOST_TEST(migrate(fresh).empty());
}

BOOST_AUTO_TEST_CASE(a_connection_without_a_database_is_told_so) {
  Database nowhere(goldsmith::test::server_settings());
  BOOST_CHECK_EXCEPTION(migrate(nowhere), MigrationError, NamesBothFiles{"database.name"});
}

BOOST_AUTO_TEST_SUITE_END()
