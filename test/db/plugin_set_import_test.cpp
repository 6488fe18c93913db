// Imports of many plugins: whole or not at all, beside readers, downloads and other commands.
#include "db/plugin_import.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "db/access_store.hpp"
#include "db/download_log.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using db::ImportChange;
using db::PluginImport;
using test::ErrorOfKind;
using test::kLater;
using test::kNow;
using test::make_plugin;

namespace {

struct Set : test::DatabaseFixture {
  db::PluginStore store = plugins();
  db::Database other{test_database.settings()};

  std::string count(const std::string& what) {
    return test::ask(other, "SELECT COUNT(*) FROM " + what);
  }
  // What an import prepares, and takes out, besides rows that readers see.
  std::string leftovers() {
    return count("staged_plugins") + " " + count("staged_tags") + " " + count("staged_versions") +
           " " + count("plugin_versions WHERE plugin_id IS NULL") + " " +
           count(
               "plugin_files f LEFT JOIN plugin_versions v ON v.id = f.version_id"
               " WHERE v.plugin_id IS NULL");
  }
  // More than one batch.
  static constexpr int kMany = 120;
  static domain::Plugin numbered(int number) {
    return make_plugin(domain::Slug::parse("plugin-" + std::to_string(number)).value(), number);
  }
  static void add_many(PluginImport& import) {
    for (int i = 0; i < kMany; ++i) import.add(numbered(i));
  }
  static std::string content_of_7(db::PluginStore& readers) {
    const auto found = readers.find_version("plugin-7", "1.0").value();
    return readers.read_content(found.version.id, found.version.files.at(0).position).value();
  }
  std::int64_t session() {
    const auto rows = database.query("SELECT CONNECTION_ID()");
    rows->next();
    return rows->integer(1);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_set_import, Set)

BOOST_AUTO_TEST_CASE(readers_see_nothing_of_a_set_before_its_end_and_then_all_of_it) {
  domain::Plugin old = numbered(7);
  old.name = "The old name";
  old.versions[0].files[0].content = "old";
  old.versions.push_back(test::make_version("0.5", "2023-01-01 00:00:00"_utc));
  store.import(old, kNow);
  const auto revision = db::read_progress(database).revision;
  {
    PluginImport import(database, kLater);
    add_many(import);
    BOOST_TEST(count("staged_plugins") == "100");  // two batches of fifty
    BOOST_TEST(count("plugins") == "1");
    db::PluginStore readers(other);
    BOOST_TEST(readers.find("plugin-7")->name == "The old name");
    BOOST_TEST(readers.find("plugin-7")->versions.size() == 2U);
    BOOST_TEST(content_of_7(readers) == "old");
    BOOST_TEST(db::read_progress(database).revision == revision);

    const std::vector<ImportChange> changes = import.finish();
    BOOST_REQUIRE(changes.size() == std::size_t{kMany});
    BOOST_CHECK(changes[6] == ImportChange::created);
    BOOST_CHECK(changes[7] == ImportChange::updated);
    BOOST_TEST(readers.published_slugs(0, 1000).size() == std::size_t{kMany});
    BOOST_TEST(readers.find("plugin-7")->name == "Plugin plugin-7");
    BOOST_TEST(readers.find("plugin-7")->versions.size() == 1U);
    BOOST_TEST(content_of_7(readers) != "old");
    BOOST_TEST(readers.find("plugin-119")->tags == numbered(119).tags);
    BOOST_TEST(readers.find("plugin-119")->downloads == 119);
  }
  BOOST_TEST(db::read_progress(database).revision == revision + 1);
  BOOST_TEST(leftovers() == "0 0 0 0 0");
}

BOOST_AUTO_TEST_CASE(the_same_set_again_changes_nothing) {
  for (const ImportChange expected : {ImportChange::created, ImportChange::unchanged}) {
    PluginImport import(database, kNow);
    add_many(import);
    for (const ImportChange change : import.finish()) BOOST_CHECK(change == expected);
  }
  const auto revision = db::read_progress(database).revision;
  PluginImport import(database, kLater);
  add_many(import);
  import.finish();
  BOOST_TEST(db::read_progress(database).revision == revision);
  BOOST_TEST(store.find("plugin-3")->updated_at == kNow);
}

BOOST_AUTO_TEST_CASE(what_a_source_names_stays_with_it_where_a_statement_is_full) {
  constexpr std::size_t kLarge = 700U << 10;  // two are more than a statement takes
  PluginImport import(database, kNow);
  for (int i = 0; i < 6; ++i) {
    domain::Plugin plugin = numbered(i);
    domain::PluginFile& source = plugin.versions[0].files[0];
    source.content = std::string(i < 2 ? kLarge : 9, 'x');
    const std::string include = "the_include_that_only_plugin_has_" + std::to_string(i);
    source.named = domain::NamedFiles{{include}, {}};
    import.add(plugin);
  }
  import.finish();
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    BOOST_TEST(count("plugin_files f JOIN plugin_versions v ON v.id = f.version_id"
                     " JOIN plugins p ON p.id = v.plugin_id WHERE p.slug = 'plugin-" +
                     number + "' AND f.named = 'ithe_include_that_only_plugin_has_" + number +
                     "\n'") == "1",
               number);
  }
}

BOOST_AUTO_TEST_CASE(a_set_with_a_plugin_that_the_server_refuses_is_not_imported) {
  const auto revision = db::read_progress(database).revision;
  {
    PluginImport import(database, kNow);
    add_many(import);
    domain::Plugin broken = make_plugin("broken");
    broken.license = std::string(300, 'l');
    import.add(broken);
    BOOST_CHECK_EXCEPTION(import.finish(), Error,
                          (ErrorOfKind{Error::Kind::constraint, "license"}));
  }
  BOOST_TEST(count("plugins") == "0");
  BOOST_TEST(leftovers() == "0 0 0 0 0");
  BOOST_TEST(db::read_progress(database).revision == revision);
}

BOOST_AUTO_TEST_CASE(a_set_that_is_given_up_leaves_nothing) {
  {
    PluginImport import(database, kNow);
    add_many(import);
    BOOST_TEST(leftovers() != "0 0 0 0 0");
  }
  BOOST_TEST(count("plugins") == "0");
  BOOST_TEST(leftovers() == "0 0 0 0 0");
}

BOOST_AUTO_TEST_CASE(what_an_interrupted_import_leaves_is_not_seen_and_the_next_one_removes_it) {
  store.import(numbered(7), kNow);
  {
    PluginImport import(database, kNow);
    add_many(import);
    other.run("KILL " + std::to_string(session()));
    BOOST_CHECK_THROW(import.finish(), Error);
  }
  BOOST_TEST(leftovers() != "0 0 0 0 0");
  BOOST_TEST(store.published_slugs(0, 10).size() == 1U);
  BOOST_TEST(store.list_all().size() == 1U);
  BOOST_CHECK(store.import(numbered(8), kNow) == ImportChange::created);
  BOOST_TEST(store.list_all().size() == 2U);
  BOOST_TEST(leftovers() == "0 0 0 0 0");
}

BOOST_AUTO_TEST_CASE(a_second_import_at_once_is_refused_and_says_why) {
  PluginImport import(database, kNow);
  BOOST_CHECK_EXCEPTION(PluginImport(other, kNow), Error,
                        (ErrorOfKind{Error::Kind::constraint, "another import"}));
  import.add(numbered(1));
  BOOST_CHECK(import.finish() == std::vector<ImportChange>{ImportChange::created});
}

BOOST_AUTO_TEST_CASE(a_plugin_that_another_command_changed_meanwhile_stops_the_set) {
  db::PluginStore operators(other);
  store.import(make_plugin("edited"), kNow);
  store.import(make_plugin("same"), kNow);
  const auto try_it = [&](const auto& meanwhile) {
    PluginImport import(database, kLater);
    domain::Plugin plugin = make_plugin("edited");
    plugin.name = "New";
    import.add(plugin);
    import.add(make_plugin("same"));
    for (int i = 0; i < 50; ++i) import.add(numbered(i));
    meanwhile();
    import.finish();
  };
  BOOST_CHECK_EXCEPTION(
      try_it([&] { operators.set_status("edited", domain::Status::draft, kNow); }), Error,
      (ErrorOfKind{Error::Kind::constraint, "plugin edited was changed by another command"}));
  BOOST_CHECK_EXCEPTION(
      try_it([&] { operators.set_status("edited", "1.0", domain::Status::draft, kNow); }), Error,
      (ErrorOfKind{Error::Kind::constraint, "plugin edited was changed by another command"}));
  BOOST_TEST(store.list_all().size() == 2U);
  BOOST_CHECK(store.find_any("edited")->status == domain::Status::draft);
  BOOST_TEST(store.find_any("edited")->name == "Plugin edited");
  // One that the import leaves as it is does not matter.
  try_it([&] { operators.set_status("same", domain::Status::draft, kNow); });
  BOOST_TEST(store.find_any("edited")->name == "New");
  BOOST_CHECK(store.find_any("same")->status == domain::Status::draft);
}

BOOST_AUTO_TEST_CASE(downloads_beside_an_import_fail_never_wait_and_are_all_counted) {
  constexpr int kPlugins = 1500;
  store.import(numbered(0), kNow);
  std::atomic<bool> is_done{false};
  std::int64_t downloads = 0;
  std::chrono::steady_clock::duration longest{};
  std::thread downloader([&] {
    db::DownloadLog log(other);
    while (!is_done) {
      const auto begun = std::chrono::steady_clock::now();
      log.record({kNow, "plugin-0", "1.0", "sma", "", "192.0.2.1", "ok", 0});
      longest = std::max(longest, std::chrono::steady_clock::now() - begun);
      ++downloads;
    }
  });
  try {
    for (const char* name : {"First", "Second"}) {
      PluginImport import(database, kLater);
      for (int i = 0; i < kPlugins; ++i) {
        domain::Plugin plugin = numbered(i);
        plugin.name = name;
        plugin.versions[0].files[0].content = name;
        import.add(plugin);
      }
      import.finish();
    }
  } catch (...) {
    is_done = true;
    downloader.join();
    throw;
  }
  is_done = true;
  downloader.join();
  BOOST_TEST(downloads > 0);
  BOOST_TEST(store.find("plugin-0")->downloads == downloads);
  // A wait for a lock would be five seconds, and an error.
  BOOST_TEST((longest < std::chrono::seconds(1)));
}

BOOST_AUTO_TEST_SUITE_END()
