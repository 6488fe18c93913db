// What the service asks beside each request must be answered from indexes. Lists are in memory
// (directory::PluginIndex).
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "db/access_store.hpp"
#include "db/addon_store.hpp"
#include "db/component_store.hpp"
#include "db/download_log.hpp"
#include "db/overlay_store.hpp"
#include "test/db/builders.hpp"
#include "test/support/numbers.hpp"

using namespace goldsmith;

namespace {

// What operators write by hand and workers keep in memory as a whole, until it changes: the tables
// that a statement may read from one end to the other, and how many rows each has at most in any
// service that we can think of. The tests fill them to that.
const std::map<std::string, std::int64_t> kReadWhole = {
    {"settings", 100},
    {"api_keys", 2000},
    {"components", 500},
    {"component_rules", 1500},
    {"component_advice", 500},
    {"component_defects", 500},
    {"component_installs", 500},
    {"component_install_lines", 1500},
    {"component_upstreams", 500},
    {"component_upstream_files", 1000},
    {"component_upstream_pins", 500},
    {"component_versions", 5000},
    {"component_mirrorings", 5000},
    {"overlay_sections", 1000},
};

// A page of a list, or what one plugin or version has.
constexpr std::int64_t kFewRows = 200;

struct ManyPlugins : test::DatabaseFixture {
  ManyPlugins() { fill(5000); }

  void fill(int plugins) {
    database.run(
        "INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain,"
        " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
        " SELECT CONCAT('plugin-', seq), CONCAT('Plugin ', seq), CONCAT('category-', seq % 20), '',"
        " '', '', '1.10', IF(seq % 10 = 0, 'draft', 'published'), 0, 0, seq * 7919 % 1000, '1.0',"
        " CONCAT('plugin ', seq, CHAR(31)), '2024-01-01 00:00:00' FROM " +
        test::numbers(1, plugins) + " WHERE seq > (SELECT COUNT(*) FROM plugins)");
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
        " '1.0', 'sma', '', '192.0.2.1', 'ok', 0 FROM " +
        test::numbers(1, 100'000));
    database.run("ANALYZE TABLE plugin_versions, plugin_tags, plugin_files, download_log");
  }

  // A row of `values` for each number, `seq`, up to the table's bound.
  void fill_whole(const std::string& table, const std::string& columns, const std::string& values) {
    database.run("INSERT INTO " + table + " (" + columns + ") SELECT " + values + " FROM " +
                 test::numbers(1, kReadWhole.at(table)));
  }

  void add_what_operators_write() {
    fill_whole("settings", "name, value", "CONCAT('setting_', seq), 'on'");
    fill_whole("api_keys",
               "name, prefix, sha256, scopes, per_minute, per_day, disabled, created_at",
               "seq, '', SHA2(seq, 256), '', 1, 1, 0, '2024-01-01'");
    fill_whole("components",
               "id, slug, name, description, homepage, license, layer, is_default, selectable,"
               " sort_order, loads_gamedll, loads_metamod_loader, loads_metamod_plugin,"
               " loads_toolchain",
               "seq, CONCAT('component-', seq), seq, '', '', 'MIT', 'module', 1, 1, seq, '', '',"
               " '', ''");
    fill_whole("component_rules", "component_id, position, rule, target_id, note",
               "1 + seq % 500, seq DIV 500, 'requires', 1 + (seq + 1) % 500, ''");
    fill_whole("component_advice", "component_id, position, advice", "seq, 0, 'x'");
    fill_whole("component_defects", "component_id, position, defect, source, holds, known_at",
               "seq, 0, 'x', 'x', 0, UTC_TIMESTAMP()");
    fill_whole("component_installs", "component_id, version", "seq, ''");
    fill_whole("component_install_lines", "component_id, version, position, kind, pattern, target",
               "1 + seq % 500, '', seq DIV 500, 'drop', 'x', ''");
    fill_whole("component_upstreams",
               "component_id, github, tag, version, signature_suffix, signature_key",
               "seq, 'a/b', '', '', '', ''");
    fill_whole("component_upstream_files", "component_id, position, pattern",
               "1 + seq % 500, seq DIV 500, 'x'");
    fill_whole("component_upstream_pins", "component_id, version, position, sha256",
               "seq, '1.0', 0, SHA2(seq, 256)");
    fill_whole("component_versions",
               "id, component_id, version, released_at, size_bytes, file_count, digest",
               "seq, 1 + seq % 500, CONCAT('1.', seq DIV 500), '2024-01-01', 1, 20,"
               " SHA2(seq, 256)");
    fill_whole("component_mirrorings", "version_id, mirrored_at", "seq, '2024-01-01'");
    fill_whole("overlay_sections", "path, component_id, position, content",
               "CONCAT('a/', seq), 1 + seq % 500, 0, 'x'");
    database.run(
        "INSERT INTO component_files (version_id, position, path, size, executable)"
        " SELECT 1 + seq % 5000, seq DIV 5000, CONCAT('a/', seq), 1, 0 FROM " +
        test::numbers(1, 50'000));
    database.run(
        "INSERT INTO component_sources (version_id, position, url, size, sha256, stamp)"
        " SELECT seq, 0, '', 1, SHA2(seq, 256), '' FROM " +
        test::numbers(1, 5000));
    database.run(
        "INSERT INTO addon_packs (slug, name, description, status, downloads, created_at)"
        " SELECT CONCAT('pack-', seq), seq, '', 'published', seq, '2024-01-01'"
        " FROM " +
        test::numbers(1, 2000));
    database.run(
        "INSERT INTO addon_pack_plugins (pack_id, position, plugin_id)"
        " SELECT a.id, p.id % 10, p.id FROM plugins p JOIN addon_packs a ON a.slug ="
        " CONCAT('pack-', 1 + p.id DIV 10) WHERE p.id < 20000");
    database.run(
        "INSERT INTO builds (build_hash, archive_sha256, archive_bytes, selection, recorded_at)"
        " SELECT SHA2(seq, 256), SHA2(seq, 256), 1, '', '2024-01-01' FROM " +
        test::numbers(1, 10'000));
    database.run(
        "INSERT INTO archive_builds (build_hash, selection, built_at)"
        " SELECT SHA2(seq, 256), '', '2024-01-01' FROM " +
        test::numbers(1, 10'000));
    database.run(
        "INSERT INTO selection_builds (selection, build_hash, noted_at)"
        " SELECT LEFT(SHA2(seq DIV 10, 256), 32), SHA2(seq, 256), UTC_TIMESTAMP() - INTERVAL seq"
        " MINUTE FROM " +
        test::numbers(1, 10'000));
    database.run(
        "INSERT INTO rate_windows (bucket, window_start, used)"
        " SELECT CONCAT('60 address ', seq), '2024-01-01', 1 FROM " +
        test::numbers(1, 10'000));
    database.run(
        "INSERT INTO recorded_requests (request, result, recorded_at)"
        " SELECT LEFT(SHA2(seq, 256), 32), 'ok', UTC_TIMESTAMP() - INTERVAL seq SECOND FROM " +
        test::numbers(1, 10'000));
    database.run(
        "ANALYZE TABLE settings, api_keys, components, component_rules, component_advice,"
        " component_defects,"
        " component_installs, component_install_lines, component_upstreams,"
        " component_upstream_files, component_upstream_pins, component_versions,"
        " component_mirrorings, overlay_sections, component_files, component_sources, addon_packs,"
        " addon_pack_plugins, builds, archive_builds, selection_builds,"
        " rate_windows, recorded_requests");
  }

  // Every plugin was changed by a revision of its own. Returns the state before the last few.
  db::IndexedState changes_before() {
    database.run(
        "INSERT INTO plugin_changes (slug, revision) SELECT slug, id FROM plugins"
        " ON DUPLICATE KEY UPDATE revision = id");
    database.run(
        "UPDATE revision SET value = (SELECT MAX(id) FROM plugins),"
        " recorded = (SELECT MAX(id) FROM plugins)");
    database.run("ANALYZE TABLE plugin_changes");
    return {std::stoll(test::ask(database, "SELECT MAX(id) - 20 FROM plugins")), 0, 0};
  }

  void fill_everything() {
    fill(100'000);
    add_what_plugins_have();
    add_what_operators_write();
  }

  // The statements that `work` runs, as the server's log has them.
  std::set<std::string> statements_of(const std::function<void()>& work) {
    database.run("SET GLOBAL log_output = 'TABLE'");
    work();
    database.run("SET GLOBAL log_output = 'NONE'");
    std::set<std::string> statements;
    const auto rows = database.query(
        "SELECT DISTINCT argument FROM mysql.general_log WHERE command_type = 'Execute'"
        " AND thread_id = CONNECTION_ID() AND argument REGEXP '^(SELECT|UPDATE|DELETE)'"
        " AND argument NOT LIKE '%mysql.general_log%'");
    while (rows->next()) statements.insert(rows->text(1));
    database.run("TRUNCATE mysql.general_log");
    return statements;
  }

  // Whether the statements may read the tables of kReadWhole from one end to the other.
  enum class Whole { no, yes };
  void check(const std::set<std::string>& statements, std::size_t at_least, Whole whole);
  void check_step(const test::Plan& plan, const std::string& table, Whole whole);
};

bool sorts(const std::string& extra) {
  return extra.find("filesort") != std::string::npos ||
         extra.find("temporary") != std::string::npos;
}

// The tables of a statement by the names that its plan has.
std::map<std::string, std::string> tables_by_alias(const std::string& sql) {
  static const std::regex table_pattern(
      "(?:FROM|JOIN) (\\w+)(?: (?!WHERE|ORDER|JOIN|LEFT)(\\w+))?");
  std::map<std::string, std::string> tables;
  for (std::sregex_iterator match(sql.begin(), sql.end(), table_pattern), end; match != end;
       ++match) {
    const std::string alias = (*match)[2].matched ? (*match)[2].str() : (*match)[1].str();
    tables[alias] = (*match)[1].str();
  }
  return tables;
}

void ManyPlugins::check(const std::set<std::string>& statements, std::size_t at_least,
                        Whole whole) {
  BOOST_TEST(statements.size() >= at_least);
  for (const std::string& sql : statements) {
    const auto tables = tables_by_alias(sql);
    for (const test::Plan& plan : test::explain(database, sql)) {
      const auto table = tables.find(plan.table);
      BOOST_TEST_CONTEXT(sql << "\n"
                             << plan.table << ": " << plan.type << ", " << plan.rows << " rows, "
                             << plan.extra) {
        check_step(plan, table == tables.end() ? plan.table : table->second, whole);
      }
    }
  }
}

void ManyPlugins::check_step(const test::Plan& plan, const std::string& table, Whole whole) {
  const auto bounded = kReadWhole.find(table);
  if (whole == Whole::yes && bounded != kReadWhole.end()) {
    BOOST_TEST(plan.rows <= 2 * bounded->second);  // an estimate
    return;
  }
  const bool is_part = table.starts_with('<');  // of the statement, in memory
  BOOST_TEST((plan.type != "ALL" || (is_part && plan.rows <= kFewRows)));
  BOOST_TEST((plan.type != "index" || plan.rows <= kFewRows));
  BOOST_TEST((!sorts(plan.extra) || plan.rows <= kFewRows));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(query_plan, ManyPlugins)

BOOST_AUTO_TEST_CASE(counts_and_categories_read_an_index_alone) {
  for (const char* sql :
       {"SELECT COUNT(*) FROM plugins p WHERE p.status = 'published'",
        "SELECT COUNT(*) FROM plugins p WHERE p.status = 'published' AND p.category = 'category-3'",
        "SELECT category, COUNT(*) FROM plugins WHERE status = 'published' GROUP BY category"
        " ORDER BY category"}) {
    const test::Plan plan = test::explain(database, sql).front();
    BOOST_TEST(plan.extra.find("Using index") != std::string::npos, sql << ": " << plan.extra);
    BOOST_TEST(!sorts(plan.extra), sql << ": " << plan.extra);
  }
}

// The statements themselves, from the server's log: none can be forgotten here when it changes.
BOOST_AUTO_TEST_CASE(no_request_scans_or_sorts_a_directory_of_100_000_plugins) {
  fill_everything();
  db::PluginStore store = plugins();
  db::AddonStore addons(database);
  db::ComponentStore components(database);
  db::WindowStore windows(database);
  const std::int64_t id = std::stoll(test::ask(database, "SELECT MAX(id) - 7 FROM plugins"));
  const std::int64_t last = store.last_download();
  const db::IndexedState state = changes_before();
  db::BuildStore builds(database);
  const std::string build = test::ask(database, "SELECT MAX(build_hash) FROM archive_builds");
  const std::string selection = test::ask(database, "SELECT MAX(selection) FROM selection_builds");
  check(statements_of([&] {
          store.find("plugin-7");
          store.find_rest(id, {});
          store.find_version("plugin-7", "1.0");
          store.find_newest({"plugin-7", "plugin-99999"});
          auto head = store.find_head("plugin-7", "1.0").value().version;
          store.file_totals({head.id});
          store.load_files({&head});
          store.read_content(head.id, 0);
          store.each_content(head.id, {head.files.data()}, [](std::size_t, std::string) {});
          store.newest_verdicts({"plugin-7", "plugin-99999"});
          store.newest_versions(20, db::PluginStore::LatestOnly::no);
          store.newest_versions(20, db::PluginStore::LatestOnly::yes);
          store.last_download();
          store.each_indexed_change(state, 50, [](auto, auto*) {});
          store.counters_since(last - 100);
          addons.list(0, 24);
          addons.find("pack-7");
          components.load_files("component-7", "1.1");
          components.load_sources("component-7", "1.1");
          db::read_progress(database);
          db::KeyStore(database).touch(7, test::kNow);
          builds.find(build);
          builds.find_selection(build);
          builds.note(build, "", test::kNow, true);  // what it inserts is there
          builds.keep(build, test::kNow);
          builds.builds_of_selection(selection);
          builds.selections_since(std::chrono::minutes(5));
          windows.take("address 7", 60, 1'704'067'260, 5);  // the inserted row is read again
          db::DownloadLog(database).record(
              {test::kNow, "plugin-7", "1.0", "sma", "", "", "ok", 0, std::string(32, 'a')});
          db::DownloadLog(database).forget_requests();
        }),
        27, Whole::no);

  // What is read once a change, by each worker.
  for (const auto& [table, rows] : kReadWhole) {
    BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM " + table) == std::to_string(rows), table);
  }
  check(statements_of([&] {
          db::SettingStore(database).load();
          db::KeyStore(database).list();
          db::ComponentStore(database).load_catalog();
          db::OverlayStore(database).load();
        }),
        11, Whole::yes);
}

// All are wanted, in pieces: each is a range of the key that the order needs.
BOOST_AUTO_TEST_CASE(the_index_in_memory_reads_each_piece_by_its_key) {
  db::PluginStore store = plugins();
  const std::set<std::string> statements =
      statements_of([&] { store.each_indexed([] {}, [](auto&) {}); });
  BOOST_TEST(statements.size() == 8U);  // 5,000 plugins, two a piece; newest download, revision
  for (const std::string& sql : statements) {
    const std::vector<test::Plan> plans = test::explain(database, sql);
    if (sql.find("FROM download_log") != std::string::npos) {
      BOOST_TEST(plans[0].table == "");  // the end of an index alone
      continue;
    }
    if (sql.find("FROM revision") != std::string::npos) {
      BOOST_TEST(plans[0].type == "const");
      continue;
    }
    BOOST_TEST_CONTEXT(sql) {
      BOOST_TEST(plans[0].type == "range");
      BOOST_TEST(plans[0].key == "plugins_slug");
      BOOST_TEST(!sorts(plans[0].extra));
      if (sql.find("GROUP_CONCAT") == std::string::npos) continue;  // where a piece ends
      BOOST_REQUIRE(plans.size() == 2U);
      BOOST_TEST(plans[1].type == "eq_ref");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
