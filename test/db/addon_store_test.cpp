#include "db/addon_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using db::ImportChange;
using domain::Status;
using test::ErrorOfKind;
using test::kLater;
using test::kNow;

namespace {

using Slugs = std::vector<std::string>;

struct Packs : test::DatabaseFixture {
  db::PluginStore plugin_store = plugins();
  db::AddonStore store{database};

  Packs() {
    for (const domain::Slug& slug : std::vector<domain::Slug>{"a", "b", "c"}) {
      plugin_store.import(test::make_plugin(slug), kNow);
    }
  }

  static domain::AddonPack make_pack(const domain::Slug& slug, std::vector<domain::Slug> plugins) {
    domain::AddonPack pack;
    pack.slug = slug;
    pack.name = "Pack " + pack.slug;
    pack.description = "Ünïcode – and a line\nbreak";
    pack.status = Status::published;
    pack.created_at = "2024-01-02 03:04:05"_utc;
    pack.downloads = 7;
    pack.plugins = std::move(plugins);
    return pack;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(addon_store, Packs)

BOOST_AUTO_TEST_CASE(a_pack_comes_back_as_it_was_imported_in_curation_order) {
  const auto pack = make_pack("starter", {"c", "a", "b"});
  BOOST_CHECK(store.import(pack) == ImportChange::created);
  const auto found = store.find("starter");
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->summary.slug == "starter");
  BOOST_TEST(found->summary.name == pack.name);
  BOOST_TEST(found->summary.description == pack.description);
  BOOST_TEST(found->summary.plugin_count == 3);
  BOOST_TEST(found->summary.downloads == 7);
  BOOST_TEST(found->summary.created_at == pack.created_at);
  BOOST_TEST(test::slugs(found->plugins) == (Slugs{"c", "a", "b"}));
  BOOST_TEST((found->plugins[0].latest_version == "1.0"));
  BOOST_TEST(store.list_all().at(0).plugins == pack.plugins);
}

BOOST_AUTO_TEST_CASE(an_unpublished_plugin_is_missing_but_counted) {
  store.import(make_pack("starter", {"a", "b", "c"}));
  plugin_store.set_status("b", Status::draft, kNow);
  const auto found = store.find("starter");
  BOOST_TEST(test::slugs(found->plugins) == (Slugs{"a", "c"}));
  BOOST_TEST(found->summary.plugin_count == 3);
  BOOST_TEST(store.list(0, 10).addons.at(0).plugin_count == 3);
  BOOST_TEST((store.list_all().at(0).plugins == std::vector<domain::Slug>{"a", "b", "c"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_without_a_published_version_stays_with_an_empty_latest_version) {
  store.import(make_pack("starter", {"a"}));
  plugin_store.set_status("a", "1.0", Status::draft, kNow);
  BOOST_TEST(!store.find("starter")->plugins.at(0).latest_version);
}

BOOST_AUTO_TEST_CASE(packs_are_listed_by_downloads_and_then_by_slug) {
  for (const domain::Slug& slug : std::vector<domain::Slug>{"m-same", "b-same"}) {
    store.import(make_pack(slug, {}));
  }
  auto most = make_pack("z-most", {});
  most.downloads = 8;
  store.import(most);
  Slugs listed;
  for (const auto& pack : store.list(0, 10).addons) listed.push_back(pack.slug.str());
  BOOST_TEST(listed == (Slugs{"z-most", "b-same", "m-same"}));
  BOOST_TEST(store.list(1, 1).addons.at(0).slug == "b-same");
  BOOST_TEST(store.list(3, 10).addons.empty());
  BOOST_TEST(store.list(3, 10).total == 3);
}

BOOST_AUTO_TEST_CASE(presets_are_published_packs_with_a_server_and_all_of_their_plugins) {
  const auto add = [&](const domain::Slug& slug, std::vector<domain::Slug> plugins,
                       std::int64_t downloads, const std::string& server = "optimized=1") {
    auto pack = make_pack(slug, std::move(plugins));
    pack.server = server;
    pack.downloads = downloads;
    store.import(pack);
  };
  const auto listed = [&](std::int64_t limit) {
    Slugs slugs;
    for (const auto& pack : store.presets(limit)) slugs.push_back(pack.slug.str());
    return slugs;
  };
  add("bare", {}, 1);
  add("two", {"b", "a"}, 9);
  add("pack", {"a"}, 10, "");
  BOOST_TEST(listed(9) == (Slugs{"two", "bare"}));
  BOOST_TEST(listed(1) == (Slugs{"two"}));
  BOOST_TEST(store.presets(1).at(0).server == "optimized=1");
  BOOST_TEST((store.presets(1).at(0).plugins == std::vector<domain::Slug>{"b", "a"}));
  BOOST_TEST(store.find("two")->summary.server == "optimized=1");

  plugin_store.set_status("a", "1.0", Status::draft, kNow);
  BOOST_TEST(listed(9) == (Slugs{"bare"}));
  store.set_status("bare", Status::draft);
  BOOST_TEST(listed(9).empty());
}

BOOST_AUTO_TEST_CASE(drafts_are_seen_by_the_operator_alone) {
  auto pack = make_pack("draft", {"a"});
  pack.status = Status::draft;
  store.import(pack);
  BOOST_TEST(store.list(0, 10).total == 0);
  BOOST_TEST(!store.find("draft").has_value());
  BOOST_TEST(store.list_all().size() == 1U);
  BOOST_TEST(store.set_status("draft", Status::published));
  BOOST_TEST(store.find("draft").has_value());
}

BOOST_AUTO_TEST_CASE(the_same_again_changes_nothing_and_counters_are_left_alone) {
  auto pack = make_pack("same", {"a", "b"});
  store.import(pack);
  const auto revision = db::read_progress(database).revision;
  pack.downloads = 0;
  BOOST_CHECK(store.import(pack) == ImportChange::unchanged);
  BOOST_TEST(db::read_progress(database).revision == revision);
  pack.plugins = {"b", "a"};
  BOOST_CHECK(store.import(pack) == ImportChange::updated);
  BOOST_TEST(db::read_progress(database).revision > revision);
  BOOST_TEST(store.find("same")->summary.downloads == 7);
  BOOST_TEST(test::slugs(store.find("same")->plugins) == (Slugs{"b", "a"}));
}

BOOST_AUTO_TEST_CASE(a_pack_without_a_time_gets_the_servers_and_keeps_it) {
  auto pack = make_pack("timeless", {});
  pack.created_at.reset();
  store.import(pack);
  const auto first = store.find("timeless")->summary.created_at;
  BOOST_TEST(domain::format_timestamp(first) ==
             test::ask(database, "SELECT created_at FROM addon_packs WHERE slug = 'timeless'"));
  BOOST_TEST(first > kNow);  // the server's clock
  BOOST_CHECK(store.import(pack) == ImportChange::unchanged);
  BOOST_TEST(store.find("timeless")->summary.created_at == first);
}

BOOST_AUTO_TEST_CASE(an_unknown_plugin_is_refused_by_name_and_nothing_is_changed) {
  store.import(make_pack("there", {"a"}));
  auto pack = make_pack("there", {"b", "nowhere"});
  pack.name = "Changed";
  BOOST_CHECK_EXCEPTION(store.import(pack), Error,
                        (ErrorOfKind{Error::Kind::constraint, "nowhere"}));
  BOOST_TEST(store.find("there")->summary.name == "Pack there");
  BOOST_TEST((store.list_all().at(0).plugins == std::vector<domain::Slug>{"a"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_that_is_named_twice_is_refused) {
  BOOST_CHECK_EXCEPTION(store.import(make_pack("twice", {"a", "b", "a"})), Error,
                        (ErrorOfKind{Error::Kind::constraint, "plugin a is named twice"}));
  BOOST_TEST(store.list_all().empty());
}

BOOST_AUTO_TEST_CASE(removing_a_pack_leaves_its_plugins) {
  store.import(make_pack("gone", {"a"}));
  BOOST_TEST(store.remove("gone"));
  BOOST_TEST(!store.remove("gone"));
  BOOST_TEST(!store.set_status("gone", Status::published));
  BOOST_TEST(plugin_store.find("a").has_value());
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM addon_pack_plugins") == "0");
}

BOOST_AUTO_TEST_SUITE_END()
