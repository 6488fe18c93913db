// What the service asks beside each request must be answered from indexes. Lists are in memory
// (service::PluginIndex).
#include <boost/test/unit_test.hpp>

#include "test/db/builders.hpp"

using namespace goldsmith;

namespace {

struct ManyPlugins : test::DatabaseFixture {
  ManyPlugins() {
    database.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
        " SELECT CONCAT('plugin-', seq), CONCAT('Plugin ', seq), CONCAT('category-', seq % 20), '',"
        " '', '', '1.10', IF(seq % 10 = 0, 'draft', 'published'), 0, 0, seq * 7919 % 1000, '1.0',"
        " CONCAT('plugin ', seq, CHAR(31)), '2024-01-01 00:00:00' FROM seq_1_to_5000");
    database.run("INSERT INTO plugin_counters (slug, downloads) SELECT slug, 3 FROM plugins");
    database.run("ANALYZE TABLE plugins, plugin_counters");
  }

  struct Plan {
    std::string table;
    std::string type;
    std::string key;
    std::string extra;
  };
  // In the order in which the tables are read.
  std::vector<Plan> explain(const std::string& sql) {
    const auto rows = database.query("EXPLAIN " + sql);
    std::vector<Plan> plans;
    while (rows->next()) {
      plans.push_back({rows->text(3), rows->text(4), rows->text(6), rows->text(10)});
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

BOOST_AUTO_TEST_CASE(the_index_in_memory_is_filled_in_one_pass_in_slug_order) {
  const std::vector<Plan> plans = explain(
      "SELECT p.id, p.category, p.downloads + COALESCE(c.downloads, 0), p.search_text FROM plugins "
      "p"
      " LEFT JOIN plugin_counters c ON c.slug = p.slug WHERE p.status = 'published'"
      " ORDER BY p.slug");
  BOOST_REQUIRE(plans.size() == 2U);
  BOOST_TEST(plans[1].type == "eq_ref");  // a counter is found by its key
  BOOST_TEST(plans[1].key == "PRIMARY");
}

BOOST_AUTO_TEST_CASE(a_page_is_read_by_the_keys_of_its_rows) {
  const std::vector<Plan> plans = explain(
      "SELECT p.slug, p.downloads + COALESCE(c.downloads, 0) FROM plugins p"
      " LEFT JOIN plugin_counters c ON c.slug = p.slug"
      " WHERE p.status = 'published' AND p.id IN (5, 90, 4000, 17)");
  BOOST_REQUIRE(plans.size() == 2U);
  BOOST_TEST(plans[0].key == "PRIMARY");
  BOOST_TEST(plans[0].type == "range");
  BOOST_TEST(plans[1].type == "eq_ref");
}

BOOST_AUTO_TEST_CASE(counters_that_moved_are_found_from_the_end_of_the_log) {
  database.run(
      "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
      " compile_milliseconds) SELECT '2024-01-01 00:00:00', CONCAT('plugin-', 1 + seq % 5000),"
      " '1.0', 'sma', '', '192.0.2.1', 'ok', 0 FROM seq_1_to_20000");
  database.run("ANALYZE TABLE download_log");
  for (const Plan& plan :
       explain("SELECT p.id, p.downloads + COALESCE(c.downloads, 0) FROM plugins p"
               " LEFT JOIN plugin_counters c ON c.slug = p.slug WHERE p.status = 'published'"
               " AND p.slug IN (SELECT DISTINCT slug FROM download_log WHERE id > 19900)")) {
    const bool is_result_of_subquery = plan.table.starts_with("<subquery");
    BOOST_TEST((is_result_of_subquery || plan.type == "range" || plan.type == "eq_ref"),
               plan.table << " is read by " << plan.type);
  }
}

BOOST_AUTO_TEST_CASE(a_plugin_with_all_that_it_has_is_read_by_keys) {
  database.run(
      "INSERT INTO plugin_versions (plugin_id, version, created_at, status)"
      " SELECT id, '1.0', '2024-01-01 00:00:00', 'published' FROM plugins");
  database.run("INSERT INTO plugin_tags (plugin_id, position, tag) SELECT id, 0, 'x' FROM plugins");
  database.run(
      "INSERT INTO plugin_files (version_id, position, filename, install_dir, kind, is_primary,"
      " sha1, size_bytes, content) SELECT id, 0, 'a.sma', '', 'source', 1, '', 0, ''"
      " FROM plugin_versions");
  database.run("ANALYZE TABLE plugin_versions, plugin_tags, plugin_files");
  for (const Plan& plan :
       explain("SELECT v.version, f.filename, p.slug, c.downloads,"
               " (SELECT GROUP_CONCAT(t.tag ORDER BY t.position) FROM plugin_tags t"
               " WHERE t.plugin_id = p.id) FROM plugins p"
               " LEFT JOIN plugin_counters c ON c.slug = p.slug"
               " LEFT JOIN plugin_versions v ON v.plugin_id = p.id AND v.status = 'published'"
               " LEFT JOIN plugin_files f ON f.version_id = v.id"
               " WHERE p.slug = 'plugin-7' AND p.status = 'published'")) {
    BOOST_TEST((plan.type == "const" || plan.type == "ref" || plan.type == "eq_ref"),
               plan.table << " is read by " << plan.type);
    BOOST_TEST(!sorts(plan.extra), plan.table << ": " << plan.extra);
  }
}

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

BOOST_AUTO_TEST_SUITE_END()
