// The list queries must be answered from their indexes: in order, without sorting.
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
    database.run("ANALYZE TABLE plugins");
  }

  struct Plan {
    std::string key;
    std::string extra;
  };
  // Of the first table.
  Plan explain(const std::string& sql) {
    const auto rows = database.query("EXPLAIN " + sql);
    BOOST_REQUIRE(rows->next());
    return {rows->text(6), rows->text(10)};
  }
};

bool sorts(const std::string& extra) {
  return extra.find("filesort") != std::string::npos ||
         extra.find("temporary") != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(query_plan, ManyPlugins)

BOOST_AUTO_TEST_CASE(the_list_by_downloads_is_read_in_index_order) {
  const Plan plan = explain(
      "SELECT p.slug, p.name FROM plugins p WHERE p.status = 'published'"
      " ORDER BY p.downloads DESC, p.slug LIMIT 24 OFFSET 48");
  BOOST_TEST(plan.key == "plugins_listed");
  BOOST_TEST(!sorts(plan.extra), plan.extra);
}

BOOST_AUTO_TEST_CASE(the_list_of_a_category_is_read_in_index_order) {
  const Plan plan = explain(
      "SELECT p.slug, p.name FROM plugins p WHERE p.status = 'published' AND p.category ="
      " 'category-3' ORDER BY p.downloads DESC, p.slug LIMIT 24 OFFSET 0");
  BOOST_TEST(plan.key == "plugins_listed_by_category");
  BOOST_TEST(!sorts(plan.extra), plan.extra);
}

BOOST_AUTO_TEST_CASE(a_search_is_read_in_index_order_too) {
  const Plan plan = explain(
      "SELECT p.slug, p.name FROM plugins p WHERE p.status = 'published' AND p.search_text LIKE"
      " '%plugin 4%' ESCAPE '|' ORDER BY p.downloads DESC, p.slug LIMIT 24 OFFSET 0");
  BOOST_TEST(plan.key == "plugins_listed");
  BOOST_TEST(!sorts(plan.extra), plan.extra);
}

BOOST_AUTO_TEST_CASE(counts_and_categories_read_an_index_alone) {
  for (const char* sql :
       {"SELECT COUNT(*) FROM plugins p WHERE p.status = 'published'",
        "SELECT COUNT(*) FROM plugins p WHERE p.status = 'published' AND p.category = 'category-3'",
        "SELECT category, COUNT(*) FROM plugins WHERE status = 'published' GROUP BY category"
        " ORDER BY category"}) {
    const Plan plan = explain(sql);
    BOOST_TEST(plan.extra.find("Using index") != std::string::npos, sql << ": " << plan.extra);
    BOOST_TEST(!sorts(plan.extra), sql << ": " << plan.extra);
  }
}

BOOST_AUTO_TEST_SUITE_END()
