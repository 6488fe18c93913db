#include <boost/test/unit_test.hpp>

#include <boost/algorithm/string/replace.hpp>

#include "app/base/file.hpp"
#include "db/access_store.hpp"
#include "db/addon_store.hpp"
#include "db/component_store.hpp"
#include "db/download_log.hpp"
#include "db/migrations.hpp"
#include "db/overlay_store.hpp"
#include "db/verdict_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Database;
using db::Error;
using test::ErrorOfKind;
using test::kNow;

namespace {

// A database and an account that has what the named file of db/grants gives.
class Granted {
 public:
  explicit Granted(test::TestDatabase::Schema schema) : test_database(schema) {
    name_ = "u" + test_database.name().substr(test_database.name().find("test_") + 5);
    root.run("CREATE USER " + account());
  }
  ~Granted() { root.run("DROP USER " + account()); }
  Granted(const Granted&) = delete;
  Granted& operator=(const Granted&) = delete;

  void grant(const std::string& file) {
    std::string sql = base::read_file(std::string(GOLDSMITH_SOURCE_DIR "/db/grants/") + file);
    boost::replace_all(sql, "{schema}", test_database.name());
    boost::replace_all(sql, "{user}", account());
    for (std::size_t begin = 0; begin < sql.size();) {
      const std::size_t end = std::min(sql.find(";\n", begin), sql.size());
      const std::string statement = sql.substr(begin, end - begin);
      if (statement.find("GRANT") != std::string::npos) root.run(statement);
      begin = end + 2;
    }
  }

  db::ConnectionSettings settings() const {
    auto settings = test_database.settings();
    settings.user = name_;
    return settings;
  }

  test::TestDatabase test_database;
  Database root{test_database.settings()};

 private:
  std::string account() const { return "'" + name_ + "'@'localhost'"; }

  std::string name_;
};

struct Worker : Granted {
  explicit Worker(const std::string& grants) : Granted(test::TestDatabase::Schema::migrated) {
    grant(grants);
    db::PluginStore(root).import(test::make_plugin("there", 5), kNow);
    db::PluginStore(root).import(test::make_plugin("alone"), kNow);
    db::ComponentStore components(root);
    components.import({test::make_component("one")});
    components.put_version("one", test::make_component_version("1.0"));
    db::OverlayStore(root).set({"a.cfg", domain::Slug("one"), 1, "x"});
    domain::AddonPack pack;
    pack.slug = "pack";
    pack.created_at = kNow;
    pack.status = domain::Status::published;
    pack.plugins = {"there"};
    db::AddonStore(root).import(pack);
  }

  Database database{settings()};

  template <class Work>
  void denied(Work work) {
    BOOST_CHECK_EXCEPTION(work(), Error, ErrorOfKind{Error::Kind::denied});
  }
};

struct ApiWorker : Worker {
  ApiWorker() : Worker("api.sql") {}
};

struct BuildWorker : Worker {
  BuildWorker() : Worker("build.sql") {}
};

// What both pools have in common.
void check_that_nothing_changes(Worker& worker) {
  Database& database = worker.database;
  const auto denied = [&](const auto& work) { worker.denied(work); };
  db::PluginStore plugins(database);
  denied([&] { plugins.import(test::make_plugin("new"), kNow); });
  denied([&] { plugins.set_status("there", domain::Status::draft, kNow); });
  denied([&] { plugins.remove("alone"); });
  denied([&] { db::AddonStore(database).remove("pack"); });
  denied([&] { db::ComponentStore(database).import({test::make_component("two")}); });
  denied([&] { db::OverlayStore(database).set({"b.cfg", {}, 1, "x"}); });
  denied([&] { db::OverlayStore(database).list(); });
  denied([&] { db::SettingStore(database).set("api_enabled", "off"); });
  denied([&] { db::KeyStore(database).set_disabled(1, false); });
  db::KeyStore(database).add_uses(1, kNow, {1, 0, 0});
  denied([&] { database.run("DELETE FROM key_uses"); });
  for (const char* sql : {"UPDATE plugins SET name = 'x'",
                          "UPDATE plugins SET downloads = 0, name = 'x'",
                          "UPDATE plugins SET rating_sum = 5",
                          "UPDATE plugins SET downloads = 0",
                          "UPDATE plugin_counters SET slug = 'x'",
                          "INSERT INTO plugin_counters VALUES ('x', 1)",
                          "DELETE FROM plugin_counters",
                          "DELETE FROM plugins",
                          "DELETE FROM download_log",
                          "SELECT * FROM changes",
                          "INSERT INTO changes (command) VALUES ('key create')",
                          "DELETE FROM changes",
                          "SELECT * FROM download_log",
                          "UPDATE download_log SET caller = ''",
                          "INSERT INTO plugins (slug) VALUES ('x')",
                          "UPDATE api_keys SET disabled = 0",
                          "UPDATE revision SET value = 1",
                          "INSERT INTO rate_windows VALUES ('b', NOW(), 1)",
                          "UPDATE schema_migrations SET number = 1",
                          "DROP TABLE plugins",
                          "CREATE TABLE own (id INT)",
                          "ALTER TABLE plugins ADD COLUMN x INT",
                          "SELECT * FROM mysql.user",
                          "CREATE USER x",
                          "SELECT 1 INTO OUTFILE '/tmp/x'"}) {
    BOOST_TEST_CONTEXT(sql) {
      denied([&] { database.run(sql); });
    }
  }
  BOOST_TEST(db::PluginStore(worker.root).find("there")->downloads == 5);
}

void check_that_the_index_follows(Worker& worker) {
  db::PluginStore plugins(worker.database);
  const auto state = plugins.each_indexed([] {}, [](const auto&) {});
  db::PluginStore(worker.root).import(test::make_plugin("new"), kNow);
  int changes = 0;
  BOOST_TEST(plugins.each_indexed_change(state, 50, [&](auto, auto*) { ++changes; }).has_value());
  BOOST_TEST(changes == 1);
  BOOST_TEST(plugins.counters_since(plugins.last_download()).empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(grants)

BOOST_FIXTURE_TEST_CASE(an_api_worker_can_do_its_work, ApiWorker) {
  BOOST_TEST(db::is_current(database));
  db::PluginStore plugins(database);
  BOOST_TEST(plugins.published_slugs(0, 10).size() == 2U);
  BOOST_TEST(plugins.find("there")->versions.size() == 1U);
  BOOST_TEST(plugins.categories().size() == 1U);
  check_that_the_index_follows(*this);
  BOOST_TEST(db::AddonStore(database).list(0, 10).total == 1);
  BOOST_TEST(db::AddonStore(database).find("pack")->plugins.size() == 1U);
  BOOST_TEST(db::ComponentStore(database).load_catalog().components().size() == 1U);
  BOOST_TEST(db::ComponentStore(database).load_files("one", "1.0").size() == 2U);
  BOOST_TEST(db::ComponentStore(database).load_sources("one", "1.0").size() == 2U);
  BOOST_TEST(db::SettingStore(database).load().empty());
  BOOST_TEST(!db::KeyStore(database).find(std::string(64, 'a')).has_value());
  BOOST_TEST(db::read_progress(database).revision > 1);
  db::KeyStore(database).touch(1, kNow);
}

BOOST_FIXTURE_TEST_CASE(a_build_worker_can_do_its_work, BuildWorker) {
  BOOST_TEST(db::is_current(database));
  db::PluginStore plugins(database);
  BOOST_TEST(plugins.find("there")->versions.size() == 1U);
  const auto version = plugins.find_version("there", "1.0").value().version;
  BOOST_TEST(version.files.size() == 1U);
  BOOST_TEST(plugins.read_content(version.id, 0).has_value());
  check_that_the_index_follows(*this);
  BOOST_TEST(db::ComponentStore(database).load_catalog().components().size() == 1U);
  BOOST_TEST(db::ComponentStore(database).load_files("one", "1.0").size() == 2U);
  BOOST_TEST(db::ComponentStore(database).load_sources("one", "1.0").size() == 2U);
  BOOST_TEST(db::OverlayStore(database).load().size() == 1U);
  BOOST_TEST(db::SettingStore(database).load().empty());
  BOOST_TEST(!db::KeyStore(database).find(std::string(64, 'a')).has_value());
  BOOST_TEST(db::read_progress(database).revision > 1);
  db::KeyStore(database).touch(1, kNow);
  db::DownloadLog(database).record({kNow, "there", "1.0", "sma", "", "192.0.2.1", "ok", 0});
  db::DownloadLog(database).record(
      {kNow, "there", "1.0", "sma", "", "192.0.2.1", "ok", 0, std::string(32, 'a')});
  db::DownloadLog(database).forget_requests();
  BOOST_TEST(plugins.find("there")->downloads == 7);
  db::VerdictStore verdicts(database);
  const auto versions = verdicts.versions({"there"});
  verdicts.record(versions.at(0).id, std::string(64, 'a'),
                  {{"1.9", std::string(64, 'b'), domain::CompileResult::ok}}, kNow);
  verdicts.prune({}, kNow);
  BOOST_TEST(plugins.find("there")->versions[0].verdicts.size() == 1U);
  db::BuildStore builds(database);
  builds.record({std::string(64, 'a'), std::string(64, 'b'), 1, ""}, kNow);
  builds.record_start(std::string(64, 'a'), {"started", kNow, 25, 0, {}});
  BOOST_TEST(builds.find(std::string(64, 'a')).value().start.value().plugins_running == 25);
  BOOST_TEST(builds.not_started(kNow).empty());
  BOOST_TEST(db::AddonStore(database).list_all().size() == 1U);
  builds.note(std::string(64, 'c'), "optimized=1", kNow, true);
  builds.keep(std::string(64, 'c'), kNow);
  builds.note_selection(std::string(32, 'd'), std::string(64, 'c'));
  BOOST_TEST(builds.builds_of_selection(std::string(32, 'd')).size() == 1U);
  BOOST_TEST(builds.selections_since(std::chrono::minutes(1)).size() == 1U);
  BOOST_TEST(builds.find_selection(std::string(64, 'c')).value().selection == "optimized=1");
}

BOOST_FIXTURE_TEST_CASE(an_api_worker_can_change_nothing_and_reads_no_sources, ApiWorker) {
  check_that_nothing_changes(*this);
  denied([&] { db::PluginStore(database).find_version("there", "1.0"); });
  denied([&] { db::PluginStore(database).read_content(1, 0); });
  denied([&] { db::OverlayStore(database).load(); });
  denied([&] { db::BuildStore(database).record({"a", "b", 1, ""}, kNow); });
  for (const char* sql :
       {"SELECT content FROM plugin_files", "SELECT * FROM overlay_sections",
        "INSERT INTO download_log (slug) VALUES ('x')", "UPDATE plugin_counters SET downloads = 9",
        "UPDATE plugin_versions SET verdicts = ''", "SELECT * FROM compile_verdicts"}) {
    BOOST_TEST_CONTEXT(sql) {
      denied([&] { database.run(sql); });
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_build_worker_can_change_nothing_that_it_serves, BuildWorker) {
  check_that_nothing_changes(*this);
  denied([&] { db::AddonStore(database).set_status("pack", domain::Status::draft); });
  denied([&] { db::BuildStore(database).forget_before(kNow); });
  denied([&] { database.run("UPDATE plugin_versions SET status = 'draft'"); });
  denied([&] { database.run("UPDATE builds SET archive_sha256 = ''"); });
  denied([&] { database.run("UPDATE archive_builds SET selection = ''"); });
  denied([&] { database.run("UPDATE selection_builds SET build_hash = ''"); });
  denied([&] { database.run("DELETE FROM selection_builds"); });
  denied([&] { database.run("UPDATE recorded_requests SET request = ''"); });
  denied([&] { database.run("SELECT request FROM recorded_requests"); });
}

BOOST_FIXTURE_TEST_CASE(a_worker_counts_limits_where_they_are_in_the_database, ApiWorker) {
  grant("limits.sql");
  const std::string count =
      "INSERT INTO rate_windows (bucket, window_start, used) VALUES (?, ?, 1)"
      " ON DUPLICATE KEY UPDATE used = used + 1";
  database.execute(count, {"ip:192.0.2.1", kNow});
  database.execute(count, {"ip:192.0.2.1", kNow});
  BOOST_TEST(test::ask(database, "SELECT used FROM rate_windows") == "2");
  BOOST_TEST(database.execute("DELETE FROM rate_windows WHERE window_start <= ?", {kNow}) == 1U);
}

BOOST_AUTO_TEST_CASE(an_operator_can_migrate_and_import_and_nothing_beyond_its_schema) {
  Granted granted(test::TestDatabase::Schema::empty);
  granted.grant("operator.sql");
  Database database(granted.settings());
  BOOST_TEST(db::migrate(database).size() == db::known_migrations().size());
  db::PluginStore plugins(database);
  plugins.import(test::make_plugin("new"), kNow);
  BOOST_TEST(plugins.remove("new"));
  for (const char* sql : {"SELECT * FROM mysql.user", "CREATE DATABASE other", "CREATE USER x",
                          "SELECT 1 INTO OUTFILE '/tmp/x'", "SET GLOBAL max_connections = 1"}) {
    BOOST_TEST_CONTEXT(sql) {
      BOOST_CHECK_EXCEPTION(database.run(sql), Error, ErrorOfKind{Error::Kind::denied});
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
