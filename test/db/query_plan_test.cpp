// What the service asks beside each request must be answered from indexes. Lists are in memory
// (service::PluginIndex).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include "db/addon_store.hpp"
#include "db/setting_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;

namespace {

struct ManyPlugins : test::DatabaseFixture {
  ManyPlugins() { fill(5000); }

  void fill(int plugins) {
    database.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
        " SELECT CONCAT('plugin-', seq), CONCAT('Plugin ', seq), CONCAT('category-', seq % 20), '',"
        " '', '', '1.10', IF(seq % 10 = 0, 'draft', 'published'), 0, 0, seq * 7919 % 1000, '1.0',"
        " CONCAT('plugin ', seq, CHAR(31)), '2024-01-01 00:00:00' FROM seq_1_to_" +
        std::to_string(plugins) + " WHERE seq > (SELECT COUNT(*) FROM plugins)");
    database.run(
        "INSERT IGNORE INTO plugin_counters (slug, downloads) SELECT slug, 3 FROM plugins");
    database.run("ANALYZE TABLE plugins, plugin_counters");
  }

  // Each with a version, a tag and a file, and a long download log.
  void add_what_plugins_have() {
    database.run(
        "INSERT INTO plugin_versions (plugin_id, version, created_at, status)"
        " SELECT id, '1.0', '2024-01-01 00:00:00' + INTERVAL id SECOND, 'published' FROM plugins");
    database.run(
        "INSERT INTO plugin_tags (plugin_id, position, tag) SELECT id, 0, 'x' FROM plugins");
    database.run(
        "INSERT INTO plugin_files (version_id, position, filename, install_dir, kind, is_primary,"
        " sha1, size_bytes, content) SELECT id, 0, 'a.sma', '', 'source', 1, '', 0, ''"
        " FROM plugin_versions");
    database.run(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) SELECT '2024-01-01 00:00:00', CONCAT('plugin-', 1 + seq % 5000),"
        " '1.0', 'sma', '', '192.0.2.1', 'ok', 0 FROM seq_1_to_100000");
    database.run("ANALYZE TABLE plugin_versions, plugin_tags, plugin_files, download_log");
  }

  // The statements that `work` runs, as the server's log has them.
  std::set<std::string> statements_of(const std::function<void()>& work) {
    database.run("SET GLOBAL log_output = 'TABLE'");
    database.run("SET GLOBAL general_log = ON");
    work();
    database.run("SET GLOBAL general_log = OFF");
    std::set<std::string> statements;
    const auto rows = database.query(
        "SELECT DISTINCT argument FROM mysql.general_log WHERE command_type = 'Execute'"
        " AND thread_id = CONNECTION_ID() AND argument LIKE 'SELECT%'");
    while (rows->next()) statements.insert(rows->text(1));
    database.run("TRUNCATE mysql.general_log");
    return statements;
  }

  struct Plan {
    std::string table;
    std::string type;
    std::string key;
    std::int64_t rows = 0;  // as estimated
    std::string extra;
  };
  // In the order in which the tables are read.
  std::vector<Plan> explain(const std::string& sql) {
    const auto rows = database.query("EXPLAIN " + sql);
    std::vector<Plan> plans;
    while (rows->next()) {
      plans.push_back(
          {rows->text(3), rows->text(4), rows->text(6), rows->integer(9), rows->text(10)});
    }
    BOOST_REQUIRE(!plans.empty());
    return plans;
  }
};

bool sorts(const std::string& extra) {
  return extra.find("filesort") != std::string::npos ||
         extra.find("temporary") != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(query_plan, ManyPlugins)

BOOST_AUTO_TEST_CASE(counts_and_categories_read_an_index_alone) {
  for (const char* sql :
       {"SELECT COUNT(*) FROM plugins p WHERE p.status = 'published'",
        "SELECT COUNT(*) FROM plugins p WHERE p.status = 'published' AND p.category = 'category-3'",
        "SELECT category, COUNT(*) FROM plugins WHERE status = 'published' GROUP BY category"
        " ORDER BY category"}) {
    const Plan plan = explain(sql).front();
    BOOST_TEST(plan.extra.find("Using index") != std::string::npos, sql << ": " << plan.extra);
    BOOST_TEST(!sorts(plan.extra), sql << ": " << plan.extra);
  }
}

// The statements themselves, from the server's log: none can be forgotten here when it changes.
BOOST_AUTO_TEST_CASE(no_read_scans_or_sorts_a_directory_of_100_000_plugins) {
  fill(100'000);
  add_what_plugins_have();
  db::PluginStore store = plugins();
  db::AddonStore addons(database);
  const std::int64_t id = std::stoll(test::ask(database, "SELECT MAX(id) - 7 FROM plugins"));
  const std::int64_t last = store.last_download();
  const std::set<std::string> statements = statements_of([&] {
    store.find("plugin-7");
    store.find_rest(id, {});
    store.find_version("plugin-7", "1.0");
    store.find_newest({"plugin-7", "plugin-99999"});
    store.newest_versions(20, db::PluginStore::LatestOnly::no);
    store.newest_versions(20, db::PluginStore::LatestOnly::yes);
    store.last_download();
    store.counters_since(last - 100);
    addons.list(0, 24);
    addons.find("pack");
    db::read_revision(database);
  });
  BOOST_TEST(statements.size() >= 11U);
  for (const std::string& sql : statements) {
    for (const Plan& plan : explain(sql)) {
      BOOST_TEST_CONTEXT(sql << "\n" << plan.table << ": " << plan.type << ", " << plan.extra) {
        BOOST_TEST((plan.type != "ALL" || plan.rows < 1000));
        BOOST_TEST((!sorts(plan.extra) || plan.rows < 1000));
      }
    }
  }
}

// All are wanted, in pieces: each is a range of the key that the order needs.
BOOST_AUTO_TEST_CASE(the_index_in_memory_reads_each_piece_by_its_key) {
  db::PluginStore store = plugins();
  const std::set<std::string> statements = statements_of([&] { store.each_indexed([](auto&) {}); });
  BOOST_TEST(statements.size() == 3U);  // 4,500 published plugins
  for (const std::string& sql : statements) {
    const std::vector<Plan> plans = explain(sql);
    BOOST_REQUIRE(plans.size() == 2U);
    BOOST_TEST_CONTEXT(sql) {
      BOOST_TEST(plans[0].type == "range");
      BOOST_TEST(plans[0].key == "plugins_slug");
      BOOST_TEST(!sorts(plans[0].extra));
      BOOST_TEST(plans[1].type == "eq_ref");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
