#include <boost/test/unit_test.hpp>

#include <future>

#include "db/access_store.hpp"
#include "db/addon_store.hpp"
#include "db/download_log.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using db::ImportChange;
using test::ErrorOfKind;
using test::kLater;
using test::kNow;
using test::make_file;
using test::make_plugin;
using test::make_version;

namespace {

struct Imported : test::DatabaseFixture {
  db::PluginStore store = plugins();

  // Everything that is stored of plugins, as one text.
  std::string everything() {
    std::string all;
    for (const char* sql :
         {"SELECT CONCAT_WS('|', slug, name, category, author, license, original_url, toolchain,"
          " status, rating_sum, rating_count, downloads, latest_version, search_text, updated_at)"
          " FROM plugins ORDER BY id",
          "SELECT CONCAT_WS('|', plugin_id, position, tag) FROM plugin_tags ORDER BY 1",
          "SELECT CONCAT_WS('|', id, plugin_id, version, created_at, status) FROM plugin_versions"
          " ORDER BY id",
          "SELECT CONCAT_WS('|', version_id, position, filename, install_dir, kind, is_primary,"
          " sha1, size_bytes, SHA2(content, 256)) FROM plugin_files ORDER BY version_id, "
          "position"}) {
      const auto rows = database.query(sql);
      while (rows->next()) all += rows->text(1) + "\n";
    }
    return all;
  }

  void refused(const domain::Plugin& plugin, std::string_view part) {
    const std::string before = everything();
    BOOST_CHECK_EXCEPTION(store.import(plugin, kLater), Error,
                          (ErrorOfKind{Error::Kind::constraint, part}));
    BOOST_TEST(everything() == before);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_import, Imported)

BOOST_AUTO_TEST_CASE(the_same_again_changes_no_row) {
  domain::Plugin plugin = make_plugin("same", 10);
  plugin.versions.push_back(make_version("2.0", "2024-02-01 00:00:00"_utc));
  plugin.versions[0].status = domain::Status::draft;
  plugin.versions[0].held = "One.\nTwo.";
  BOOST_CHECK(store.import(plugin, kNow) == ImportChange::created);
  const std::string before = everything();
  const auto revision = db::read_progress(database).revision;
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::unchanged);
  BOOST_TEST(everything() == before);
  BOOST_TEST(db::read_progress(database).revision == revision);
}

BOOST_AUTO_TEST_CASE(the_order_of_versions_and_files_in_a_manifest_is_no_difference) {
  domain::Plugin plugin = make_plugin("order");
  plugin.versions[0].files.push_back(make_file("a.inc", "stock a() {}"));
  plugin.versions.push_back(make_version("2.0", "2024-02-01 00:00:00"_utc));
  store.import(plugin, kNow);
  std::swap(plugin.versions[0].files[0], plugin.versions[0].files[1]);
  std::swap(plugin.versions[0], plugin.versions[1]);
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::unchanged);
}

BOOST_AUTO_TEST_CASE(counters_are_set_at_creation_and_never_again) {
  store.import(make_plugin("counted", 10), kNow);
  db::DownloadLog(database).record({kNow, "counted", "1.0", "sma", "", "192.0.2.1", "ok", 0});
  domain::Plugin again = make_plugin("counted", 3);
  again.rating = {1, 1};
  BOOST_CHECK(store.import(again, kLater) == ImportChange::unchanged);
  again.name = "Another name";
  BOOST_CHECK(store.import(again, kLater) == ImportChange::updated);
  const auto found = store.find("counted");
  BOOST_TEST(found->downloads == 11);
  BOOST_TEST(found->rating.sum == 9);
  BOOST_TEST(found->rating.count == 2);
}

BOOST_AUTO_TEST_CASE(any_field_that_differs_is_updated_and_moves_the_time) {
  const domain::Plugin original = make_plugin("fields");
  using Edit = std::function<void(domain::Plugin&)>;
  const std::vector<Edit> edits = {
      [](auto& plugin) { plugin.name = "Other"; },
      [](auto& plugin) { plugin.category = "other"; },
      [](auto& plugin) { plugin.author = ""; },
      [](auto& plugin) { plugin.license = "MIT"; },
      [](auto& plugin) { plugin.tags = {"round end", "chat"}; },
      [](auto& plugin) { plugin.tags.clear(); },
      [](auto& plugin) { plugin.original_url = ""; },
      [](auto& plugin) { plugin.toolchain = "1.10"; },
      [](auto& plugin) { plugin.status = domain::Status::draft; },
      [](auto& plugin) { plugin.summary = ""; },
      [](auto& plugin) { plugin.about.description += "More."; },
      [](auto& plugin) { plugin.about.links.clear(); },
      [](auto& plugin) { plugin.about.cvars[0].default_value = "0"; },
      [](auto& plugin) { plugin.about.commands[1].flags = "d"; },
      [](auto& plugin) { plugin.about = {}; },
      [](auto& plugin) { plugin.upstream.gone_since.reset(); },
      [](auto& plugin) { plugin.upstream = {}; },
      [](auto& plugin) { plugin.versions[0].origin.commit += 'c'; },
      [](auto& plugin) { plugin.versions[0].origin = {}; },
      [](auto& plugin) { plugin.versions[0].held = "It does not compile."; },
      [](auto& plugin) { plugin.versions[0].changes = ""; },
      [](auto& plugin) { plugin.versions.clear(); },
      [](auto& plugin) { plugin.versions[0].created_at = "2023-01-01 00:00:00"_utc; },
      [](auto& plugin) { plugin.versions[0].status = domain::Status::draft; },
      [](auto& plugin) { plugin.versions[0].files.clear(); },
      [](auto& plugin) { plugin.versions[0].files[0] = make_file("main.sma", "other"); },
      [](auto& plugin) { plugin.versions[0].files[0].is_primary = false; },
      [](auto& plugin) { plugin.versions[0].files[0].install_dir = ""; },
      [](auto& plugin) { plugin.versions[0].files[0].kind = "inc"; },
      [](auto& plugin) { plugin.versions.push_back(make_version("3.0", kNow)); },
  };
  for (const Edit& edit : edits) {
    store.import(original, kNow);
    domain::Plugin edited = original;
    edit(edited);
    BOOST_CHECK(store.import(edited, kLater) == ImportChange::updated);
    BOOST_TEST(store.find_any("fields")->updated_at == kLater);
    BOOST_CHECK(store.import(edited, "2026-01-01 00:00:00"_utc) == ImportChange::unchanged);
  }
}

BOOST_AUTO_TEST_CASE(versions_that_left_the_manifest_are_removed_and_others_keep_their_rows) {
  domain::Plugin plugin = make_plugin("pruned");
  plugin.versions = {make_version("1.0", "2024-01-01 00:00:00"_utc),
                     make_version("2.0", "2024-02-01 00:00:00"_utc)};
  store.import(plugin, kNow);
  const std::string id = test::ask(database, "SELECT id FROM plugin_versions WHERE version='1.0'");
  plugin.versions.pop_back();
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::updated);
  BOOST_TEST(store.find("pruned")->versions.size() == 1U);
  BOOST_TEST((store.list_all().at(0).latest_version == "1.0"));
  BOOST_TEST(test::ask(database, "SELECT id FROM plugin_versions") == id);
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM plugin_files") == "1");
}

BOOST_AUTO_TEST_CASE(a_version_without_a_time_keeps_that_of_its_first_import) {
  domain::Plugin plugin = make_plugin("timeless");
  plugin.versions[0].created_at.reset();
  store.import(plugin, kNow);
  BOOST_TEST(store.find("timeless")->versions[0].created_at == kNow);
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::unchanged);
  plugin.versions[0].created_at = kLater;  // as a reader fills it in
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::unchanged);
  BOOST_TEST(store.find("timeless")->versions[0].created_at == kNow);
}

BOOST_AUTO_TEST_CASE(an_older_version_that_is_added_late_does_not_become_the_latest) {
  const auto undated = [](const char* number) {
    domain::PluginVersion version = make_version(*domain::Version::parse(number), kNow);
    version.created_at.reset();
    return version;
  };
  const auto order = [&] {
    std::string names;
    const domain::Plugin found = *store.find("grown");
    for (const auto& version : found.versions) names += version.version + " ";
    return names;
  };
  domain::Plugin plugin = make_plugin("grown");
  plugin.versions = {undated("1.0"), undated("1.10")};
  store.import(plugin, kNow);
  plugin.versions.push_back(undated("0.9"));
  plugin.versions.push_back(undated("1.9"));
  store.import(plugin, kLater);
  BOOST_TEST(order() == "1.10 1.9 1.0 0.9 ");
  BOOST_TEST((store.list_all().at(0).latest_version == "1.10"));
  BOOST_TEST(store.lower_latest().empty());
  BOOST_CHECK(store.import(plugin, kLater + std::chrono::hours(1)) == ImportChange::unchanged);

  plugin.versions.push_back(undated("2.0"));
  store.import(plugin, kLater);
  BOOST_TEST(order() == "2.0 1.10 1.9 1.0 0.9 ");

  plugin.versions[2].created_at = kLater + std::chrono::hours(2);  // the manifest knows better
  store.import(plugin, kLater);
  BOOST_TEST(order() == "0.9 2.0 1.10 1.9 1.0 ");
  const auto lower = store.lower_latest();
  BOOST_TEST_REQUIRE(lower.size() == 1U);
  BOOST_TEST((lower[0].slug == "grown" && lower[0].latest == "0.9" && lower[0].highest == "2.0"));
}

BOOST_AUTO_TEST_CASE(what_is_not_legal_is_refused_and_nothing_is_changed) {
  store.import(make_plugin("there"), kNow);
  domain::Plugin plugin = make_plugin("there");
  plugin.versions.push_back(plugin.versions[0]);
  refused(plugin, "version 1.0 is named twice");
  plugin = make_plugin("there");
  plugin.versions[0].files.push_back(plugin.versions[0].files[0]);
  refused(plugin, "main.sma");
  plugin = make_plugin("there");
  plugin.name = "\xff";
  refused(plugin, "UTF-8");
  plugin = make_plugin("there");
  plugin.tags = {"fine", "\xff"};
  refused(plugin, "UTF-8");
}

BOOST_AUTO_TEST_CASE(what_the_server_refuses_half_way_is_undone_whole) {
  store.import(make_plugin("there"), kNow);
  domain::Plugin plugin = make_plugin("there");
  plugin.name = "A new name";
  plugin.versions[0].files[0].content = "changed";
  plugin.versions.push_back(make_version("2.0", kNow));
  plugin.versions.back().files[0].kind = std::string(40, 'k');
  refused(plugin, "kind");
  plugin = make_plugin("new");
  plugin.license = std::string(300, 'l');
  refused(plugin, "license");
}

BOOST_AUTO_TEST_CASE(the_same_file_name_in_two_folders_is_legal) {
  domain::Plugin plugin = make_plugin("folders");
  plugin.versions[0].files.push_back(plugin.versions[0].files[0]);
  plugin.versions[0].files.back().install_dir = "";
  store.import(plugin, kNow);
  BOOST_TEST(store.find("folders")->versions[0].files.size() == 2U);
  BOOST_CHECK(store.import(plugin, kLater) == ImportChange::unchanged);
}

BOOST_AUTO_TEST_CASE(importers_of_the_same_new_plugin_take_turns) {
  const auto settings = test_database.settings();
  const auto run = [&settings] {
    db::Database own(settings);
    return db::PluginStore(own).import(make_plugin("raced"), kNow);
  };
  std::vector<std::future<ImportChange>> imports;
  for (int i = 0; i < 4; ++i) imports.push_back(std::async(std::launch::async, run));
  int created = 0;
  for (auto& import : imports) created += import.get() == ImportChange::created ? 1 : 0;
  BOOST_TEST(created == 1);
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM plugins") == "1");
}

BOOST_AUTO_TEST_CASE(a_plugin_in_a_pack_can_not_be_removed_and_the_packs_are_named) {
  store.import(make_plugin("bundled"), kNow);
  db::AddonStore packs(database);
  domain::AddonPack pack;
  pack.slug = "starter";
  pack.plugins = {"bundled"};
  packs.import(pack);
  BOOST_CHECK_EXCEPTION(store.remove("bundled"), Error,
                        (ErrorOfKind{Error::Kind::constraint, "starter"}));
  BOOST_TEST(store.find("bundled").has_value());
  packs.remove("starter");
  BOOST_TEST(store.remove("bundled"));
}

BOOST_AUTO_TEST_SUITE_END()
