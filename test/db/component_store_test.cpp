#include "db/component_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using db::ImportChange;
using domain::RuleKind;
using test::ErrorOfKind;
using test::make_component;
using test::make_component_version;

namespace {

using Changes = std::vector<ImportChange>;

struct Components : test::DatabaseFixture {
  db::ComponentStore store{database};
};

void check_same(const domain::Component& left, const domain::Component& right) {
  BOOST_TEST(left.slug == right.slug);
  BOOST_TEST(left.name == right.name);
  BOOST_TEST(left.description == right.description);
  BOOST_TEST(left.homepage == right.homepage);
  BOOST_TEST(left.license == right.license);
  BOOST_CHECK(left.layer == right.layer);
  BOOST_TEST(left.is_default == right.is_default);
  BOOST_TEST(left.selectable == right.selectable);
  BOOST_TEST(left.sort_order == right.sort_order);
  BOOST_CHECK(left.rules == right.rules);
  BOOST_CHECK(left.upstream == right.upstream);
  BOOST_CHECK(left.install == right.install);
  BOOST_CHECK(left.configuration == right.configuration);
  BOOST_CHECK(left.secrets == right.secrets);
  BOOST_CHECK(left.places == right.places);
  BOOST_CHECK(left.install_overrides == right.install_overrides);
  BOOST_CHECK(left.loads == right.loads);
  BOOST_TEST((left.advice == right.advice));
  BOOST_TEST((left.defects == right.defects));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(component_store, Components)

BOOST_AUTO_TEST_CASE(the_files_of_all_versions_are_those_with_that_ending) {
  const auto put = [&](const domain::Slug& slug, const domain::Version& number) {
    domain::ComponentVersion version = make_component_version(number);
    version.files = {{"a.so", 1, false, std::string(64, 'a')}, {"b", 2, true, ""}};
    version.origins.clear();
    store.put_version(slug, version);
    return std::pair(std::pair(slug, number), version.files);
  };
  store.import({make_component("one"), make_component("two"), make_component("none")});
  domain::VersionFiles expected{put("two", "1.0"), put("one", "1.0"), put("one", "2.0")};
  BOOST_CHECK(store.load_all_files() == expected);
  for (auto& [name, files] : expected) files.pop_back();
  BOOST_CHECK(store.load_all_files(".so") == expected);
  BOOST_TEST(store.load_all_files(".dll").empty());
}

BOOST_AUTO_TEST_CASE(it_is_noted_when_and_how_a_version_was_mirrored) {
  store.import({make_component("one")});
  domain::ComponentVersion version = make_component_version("1.0");
  version.verified = domain::Verification::signature;
  store.put_version("one", version);
  store.put_version("one", make_component_version("2.0"));
  database.execute(
      "DELETE m FROM component_mirrorings m JOIN component_versions v ON v.id = m.version_id"
      " WHERE v.version = '2.0'");
  const domain::Catalog catalog = store.load_catalog();
  const domain::ComponentVersion* noted = catalog.find("one")->find_version("1.0");
  BOOST_REQUIRE(noted->mirrored_at.has_value());
  BOOST_CHECK(*noted->mirrored_at > test::kLater);
  BOOST_CHECK(noted->verified == domain::Verification::signature);
  const domain::ComponentVersion* older = catalog.find("one")->find_version("2.0");
  BOOST_CHECK(!older->mirrored_at);
  BOOST_CHECK(older->verified == domain::Verification::none);
}

BOOST_AUTO_TEST_CASE(release_notes_are_read_for_all_versions_of_a_component) {
  store.import({make_component("one"), make_component("two")});
  domain::ComponentVersion version = make_component_version("1.0");
  version.notes = "Fixes *ünïcode*.\n";
  store.put_version("one", version);
  store.put_version("one", make_component_version("2.0"));
  store.put_version("two", version);
  const std::map<domain::Version, std::string, std::less<>> expected{
      {version.version, version.notes}};
  BOOST_CHECK(store.load_notes("one") == expected);
  store.put_version("one", make_component_version("1.0"));
  BOOST_TEST(store.load_notes("one").empty());
}

BOOST_AUTO_TEST_CASE(the_origins_of_files_come_back_in_the_order_of_the_files) {
  store.import({make_component("one")});
  domain::ComponentVersion version = make_component_version("1.0");
  store.put_version("one", version);
  BOOST_TEST(store.load_origins("one", "1.0").empty());
  version.origins = {{1, "x/a.so"}, {0, "b.cfg"}};
  BOOST_CHECK_THROW(store.put_version("one", version), std::invalid_argument);
  std::swap(version.files[0], version.files[1]);
  store.put_version("one", version);
  BOOST_CHECK(store.load_origins("one", "1.0") == version.origins);
}

BOOST_AUTO_TEST_CASE(a_defect_holds_until_somebody_releases_the_version) {
  domain::Component component = make_component("one");
  component.defects = {{"It cuts.", domain::Version("2.0"), {}, "https://x.org/1", true}};
  store.import({component});
  store.put_version("one", make_component_version("1.0"));
  store.put_version("one", make_component_version("2.0"));
  const auto held = [&] {
    const domain::Catalog catalog = store.load_catalog();
    const auto& hold = catalog.find("one")->find_version("2.0")->held;
    return hold ? hold->reason : "";
  };
  const std::string reason = "It cuts. No release without it is known: https://x.org/1";
  BOOST_TEST(held() == reason);
  BOOST_TEST(test::ask(database,
                       "SELECT COUNT(*) FROM component_versions WHERE held_at IS NOT NULL") == "0");
  // A hold of the manifest is not stored as one of the operator when the version is mirrored again.
  store.put_version("one", *store.load_catalog().find("one")->find_version("2.0"));
  component.defects[0].until = domain::Version("2.0");
  store.import({component});
  BOOST_TEST(held() == "");
  component.defects[0].until.reset();
  store.import({component});
  BOOST_TEST(held() == reason);
  // What a trial takes back is its own hold alone.
  const domain::Hold until_tried{"Wait.", test::kNow, domain::HoldKind::unstarted};
  store.hold({"one", "2.0"}, until_tried);
  BOOST_TEST(held() == "Wait.");
  BOOST_TEST(store.settle({"one", "2.0"}, std::nullopt));
  BOOST_TEST(held() == reason);
  BOOST_TEST(store.release({"one", "2.0"}));
  BOOST_TEST(held() == "");
  component.description = "Another.";
  store.import({component});
  store.put_version("one", *store.load_catalog().find("one")->find_version("2.0"));
  BOOST_TEST(held() == "");
  // Who holds it again takes back that it was released, for the defect, too.
  store.hold({"one", "2.0"}, until_tried);
  BOOST_TEST(store.settle({"one", "2.0"}, std::nullopt));
  BOOST_TEST(held() == reason);
  BOOST_TEST(!store.release({"one", "9.0"}));
  // A trial ends what held the version until then, and nothing that was decided meanwhile.
  store.hold({"one", "2.0"}, until_tried);
  BOOST_TEST(store.settle({"one", "2.0"}, domain::Hold{"It ends.", test::kNow}));
  BOOST_TEST(held() == "It ends.");
  BOOST_TEST(!store.settle({"one", "2.0"}, std::nullopt));
  BOOST_TEST(held() == "It ends.");
  BOOST_TEST(!store.settle({"one", "9.0"}, std::nullopt));
}

BOOST_AUTO_TEST_CASE(a_defect_keeps_the_time_when_it_became_known) {
  domain::Component component = make_component("one");
  component.defects = {{"It cuts.", {}, {}, "https://x.org/1", true}};
  store.import({component});
  database.execute("UPDATE component_defects SET known_at = '2024-05-06 07:08:09'", {});
  component.defects.push_back({"It leaks.", {}, {}, "https://x.org/2", false});
  store.import({component});
  const domain::Catalog catalog = store.load_catalog();
  const std::vector<domain::Defect>& defects = catalog.find("one")->defects;
  BOOST_REQUIRE(defects.size() == 2U);
  BOOST_CHECK(defects[0].known_at == test::kNow);
  BOOST_CHECK(defects[1].known_at > test::kLater);
}

BOOST_AUTO_TEST_CASE(a_component_comes_back_as_it_was_imported) {
  domain::Component component = make_component("one");
  component.defects = {
      {"It cuts.", domain::Version("1.2"), domain::Version("1.4"), "https://x.org/1", true},
      {"ünïcode", {}, {}, "https://x.org/2", false}};
  component.rules = {{RuleKind::requires_, "two", "needs it"},
                     {RuleKind::bundles, "three", ""},
                     {RuleKind::conflicts, "two", "ünïcode"},
                     {RuleKind::conflicts, "two", "", *domain::VersionRange::parse("<1"),
                      *domain::VersionRange::parse(">=5.26 <6")}};
  domain::Component two = make_component("two");
  two.layer = domain::Layer::engine;
  two.install = {};
  two.install_overrides.clear();
  two.upstream = {};
  two.upstream.urls = {"https://example.org/{version}.zip", "https://example.org/a-{version}.zip"};
  two.upstream.version = domain::Version("7");
  two.selectable = false;
  two.is_default = false;
  two.sort_order = -5;
  two.advice.clear();
  domain::Component three = make_component("three");
  three.upstream = {};
  // "one" names components that come after it.
  BOOST_CHECK(store.import({component, two, three}) ==
              Changes({ImportChange::created, ImportChange::created, ImportChange::created}));
  const domain::Catalog catalog = store.load_catalog();
  BOOST_REQUIRE(catalog.components().size() == 3U);
  check_same(*catalog.find("one"), component);
  check_same(*catalog.find("two"), two);
  check_same(*catalog.find("three"), three);
  BOOST_TEST(catalog.components()[0].slug == "two");  // load order
}

BOOST_AUTO_TEST_CASE(the_same_again_changes_nothing_and_only_what_differs_is_updated) {
  domain::Component one = make_component("one");
  const domain::Component two = make_component("two");
  one.rules = {{RuleKind::recommends, "two", "better together"}};
  store.import({one, two});
  const auto revision = db::read_progress(database).revision;
  BOOST_CHECK(store.import({one, two}) ==
              Changes({ImportChange::unchanged, ImportChange::unchanged}));
  BOOST_TEST(db::read_progress(database).revision == revision);
  one.rules[0].with = *domain::VersionRange::parse(">=2");
  BOOST_CHECK(store.import({one}) == Changes({ImportChange::updated}));
  one.rules[0].note = "changed";
  one.install_overrides.erase("0.1");
  one.upstream.assets.pop_back();
  one.upstream.sha256["0.2"].pop_back();
  one.upstream.sha256.erase("0.1");
  one.advice.pop_back();
  BOOST_CHECK(store.import({two, one}) ==
              Changes({ImportChange::unchanged, ImportChange::updated}));
  BOOST_TEST(db::read_progress(database).revision > revision);
  one.configuration.emplace_back("cstrike/more.txt");
  BOOST_CHECK(store.import({one}) == Changes({ImportChange::updated}));
  const domain::Catalog catalog = store.load_catalog();
  check_same(*catalog.find("one"), one);
}

BOOST_AUTO_TEST_CASE(every_layer_and_rule_can_be_stored) {
  std::vector<domain::Component> components;
  for (const auto& layer : domain::layers()) {
    components.push_back(
        make_component(domain::Slug::parse("in-" + std::string(layer.key)).value()));
    components.back().layer = layer.layer;
    for (const auto kind :
         {RuleKind::requires_, RuleKind::conflicts, RuleKind::recommends, RuleKind::bundles}) {
      components.back().rules.push_back({kind, "in-engine", ""});
      components.back().rules.push_back(
          {kind, "in-engine", "", *domain::VersionRange::parse(">=1.0 <2.0")});
    }
  }
  store.import(components);
  const domain::Catalog catalog = store.load_catalog();
  for (const auto& component : components) check_same(*catalog.find(component.slug), component);
}

BOOST_AUTO_TEST_CASE(a_rule_that_names_an_unknown_component_is_refused_with_both_names) {
  store.import({make_component("there")});
  domain::Component changed = make_component("there");
  changed.name = "Changed";
  domain::Component broken = make_component("broken");
  broken.rules = {{RuleKind::requires_, "there", ""}, {RuleKind::conflicts, "nowhere", ""}};
  const auto revision = db::read_progress(database).revision;
  BOOST_CHECK_EXCEPTION(store.import({changed, broken}), Error,
                        (ErrorOfKind{Error::Kind::constraint, "component broken"}));
  BOOST_CHECK_EXCEPTION(store.import({changed, broken}), Error,
                        (ErrorOfKind{Error::Kind::constraint, "\"nowhere\""}));
  const domain::Catalog catalog = store.load_catalog();
  BOOST_TEST(catalog.components().size() == 1U);
  BOOST_TEST(catalog.find("there")->name == "Component there");
  BOOST_TEST(db::read_progress(database).revision == revision);
  BOOST_CHECK(store.import({changed, make_component("nowhere"), broken}).size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_component_that_is_there_twice_is_refused) {
  BOOST_CHECK_EXCEPTION(store.import({make_component("twice"), make_component("twice")}), Error,
                        (ErrorOfKind{Error::Kind::constraint, "twice"}));
  BOOST_TEST(store.load_catalog().components().empty());
}

BOOST_AUTO_TEST_CASE(importing_nothing_is_no_change) { BOOST_TEST(store.import({}).empty()); }

BOOST_AUTO_TEST_CASE(a_mirrored_version_comes_back_with_its_files_by_path) {
  store.import({make_component("one")});
  const auto revision = db::read_progress(database).revision;
  BOOST_TEST(store.put_version("one", make_component_version("1.0")));
  BOOST_TEST(db::read_progress(database).revision > revision);
  const domain::Catalog catalog = store.load_catalog();
  const domain::ComponentVersion* version = catalog.find("one")->find_version("1.0");
  BOOST_REQUIRE(version != nullptr);
  BOOST_TEST(version->released_at == "2024-02-03 04:05:06"_utc);
  BOOST_TEST(version->size_bytes == 5'000'000'000U);
  BOOST_TEST(version->file_count == 2U);
  BOOST_TEST(version->digest == std::string(64, 'a'));
  BOOST_TEST(version->files.empty());
  const auto files = store.load_files("one", "1.0");
  BOOST_REQUIRE(files.size() == 2U);
  BOOST_CHECK(files[0] == (domain::ManifestFile{"a.so", 5'000'000'000, true}));
  BOOST_CHECK(files[1] == (domain::ManifestFile{"cstrike/b.cfg", 12, false}));
  BOOST_TEST(version->sources.empty());
  BOOST_CHECK(store.load_sources("one", "1.0") == make_component_version("1.0").sources);
}

BOOST_AUTO_TEST_CASE(a_version_is_replaced_whole_and_survives_a_new_import_of_its_component) {
  domain::Component component = make_component("one");
  store.import({component});
  store.put_version("one", make_component_version("1.0"));
  domain::ComponentVersion again = make_component_version("1.0");
  again.files = {{"only.so", 1, true}};
  again.sources.clear();
  again.digest = std::string(64, 'b');
  again.released_at.reset();
  store.put_version("one", again);
  component.name = "Changed";
  store.import({component});
  const domain::Catalog catalog = store.load_catalog();
  BOOST_REQUIRE(catalog.find("one")->versions.size() == 1U);
  BOOST_TEST(catalog.find("one")->versions[0].digest == std::string(64, 'b'));
  BOOST_TEST(!catalog.find("one")->versions[0].released_at);
  BOOST_TEST(store.load_files("one", "1.0").size() == 1U);
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM component_files") == "1");
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM component_sources") == "0");
}

BOOST_AUTO_TEST_CASE(versions_are_newest_first_and_their_order_breaks_ties) {
  store.import({make_component("one")});
  for (const domain::Version& version : std::vector<domain::Version>{"1.9", "1.10", "1.2"}) {
    store.put_version("one", make_component_version(version));
  }
  domain::ComponentVersion latest = make_component_version("0.1");
  latest.released_at = "2025-01-01 00:00:00"_utc;
  store.put_version("one", latest);
  const domain::Catalog catalog = store.load_catalog();
  std::vector<std::string> versions;
  for (const auto& each : catalog.find("one")->versions) versions.push_back(each.version.str());
  BOOST_TEST(versions == (std::vector<std::string>{"0.1", "1.10", "1.9", "1.2"}));
}

BOOST_AUTO_TEST_CASE(digests_are_recorded_for_exactly_the_files_of_a_version) {
  store.import({make_component("one")});
  store.put_version("one", make_component_version("1.0"));
  std::vector<domain::ManifestFile> files = store.load_files("one", "1.0");
  files[0].sha256 = std::string(64, '1');
  files[1].sha256 = std::string(64, '2');
  const auto revision = db::read_progress(database).revision;
  auto others = files;
  others[1].path = "cstrike/c.cfg";
  BOOST_TEST(!store.record_contents({"one", "1.0"}, others));
  others = files;
  others.pop_back();
  BOOST_TEST(!store.record_contents({"one", "1.0"}, others));
  BOOST_TEST(!store.record_contents({"one", "2.0"}, files));
  BOOST_TEST(db::read_progress(database).revision == revision);

  BOOST_TEST(store.record_contents({"one", "1.0"}, files));
  BOOST_TEST(db::read_progress(database).revision == revision + 1);
  BOOST_CHECK(store.load_files("one", "1.0") == files);
  BOOST_TEST(store.record_contents({"one", "1.0"}, files));  // again
  BOOST_TEST(db::read_progress(database).revision == revision + 1);
}

BOOST_AUTO_TEST_CASE(the_digest_of_a_single_file_is_news) {
  store.import({make_component("one")});
  domain::ComponentVersion version = make_component_version("1.0");
  version.files = {{"a", 1, false, ""}};
  store.put_version("one", version);
  const auto revision = db::read_progress(database).revision;
  BOOST_TEST(store.record_contents({"one", "1.0"}, {{"a", 1, false, std::string(64, 'e')}}));
  BOOST_TEST(db::read_progress(database).revision == revision + 1);
}

BOOST_AUTO_TEST_CASE(digests_come_with_a_version_that_has_them) {
  store.import({make_component("one")});
  domain::ComponentVersion version = make_component_version("1.0");
  version.files = {{"a", 1, false, std::string(64, 'e')}};
  store.put_version("one", version);
  BOOST_CHECK(store.load_files("one", "1.0") == version.files);
}

BOOST_AUTO_TEST_CASE(unknown_components_and_versions_have_nothing) {
  store.import({make_component("one")});
  BOOST_TEST(!store.put_version("two", make_component_version("1.0")));
  BOOST_TEST(store.load_files("one", "1.0").empty());
  BOOST_TEST(store.load_files("two", "1.0").empty());
  BOOST_TEST(store.load_sources("one", "1.0").empty());
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM component_versions") == "0");
}

BOOST_AUTO_TEST_CASE(a_version_that_is_refused_leaves_the_old_one) {
  store.import({make_component("one")});
  store.put_version("one", make_component_version("1.0"));
  domain::ComponentVersion broken = make_component_version("1.0");
  broken.files.push_back(broken.files[0]);
  BOOST_CHECK_EXCEPTION(store.put_version("one", broken), Error,
                        (ErrorOfKind{Error::Kind::constraint, "cstrike/b.cfg"}));
  broken = make_component_version("1.0");
  broken.files.push_back({std::string(2000, 'p'), 1, false});
  BOOST_CHECK_EXCEPTION(store.put_version("one", broken), Error,
                        ErrorOfKind{Error::Kind::constraint});
  BOOST_TEST(store.load_files("one", "1.0").size() == 2U);
}

BOOST_AUTO_TEST_CASE(removed_versions_go_with_all_that_belongs_to_them) {
  store.import({make_component("one"), make_component("two")});
  for (const domain::Slug& slug : std::vector<domain::Slug>{"one", "two"}) {
    for (const domain::Version& version : std::vector<domain::Version>{"1.0", "2.0"}) {
      store.put_version(slug, make_component_version(version));
    }
  }
  const auto revision = read_progress(database).revision;
  store.remove_versions({{"one", "2.0"}, {"two", "1.0"}, {"two", "3.0"}, {"three", "1.0"}});
  BOOST_TEST(read_progress(database).revision == revision + 1);
  const domain::Catalog catalog = store.load_catalog();
  BOOST_TEST_REQUIRE(catalog.find("one")->versions.size() == 1U);
  BOOST_TEST(catalog.find("one")->latest()->version == "1.0");
  BOOST_TEST_REQUIRE(catalog.find("two")->versions.size() == 1U);
  BOOST_TEST(catalog.find("two")->latest()->version == "2.0");
  BOOST_TEST(store.load_files("one", "2.0").empty());
  BOOST_TEST(store.load_files("one", "1.0").size() == 2U);
  store.remove_versions({{"one", "2.0"}});
  BOOST_TEST(read_progress(database).revision == revision + 1);
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_files_are_stored_in_few_statements) {
  store.import({make_component("maps")});
  domain::ComponentVersion version = make_component_version("1.0");
  version.files.clear();
  for (std::uint64_t i = 0; i < 100'003; ++i) {
    version.files.push_back(
        {"cstrike/maps/folder with spaces/" + std::to_string(1'000'000 + i) + ".bsp", i,
         i % 2 == 0});
  }
  version.file_count = version.files.size();
  const auto statements = [&] { return test::session_status(database, "Com_stmt_execute"); };
  const auto before = statements();
  BOOST_TEST(store.put_version("maps", version));
  BOOST_TEST(statements() - before < 300);
  BOOST_CHECK(store.load_files("maps", "1.0") == version.files);
  // Again: the old rows go and the new ones come in one transaction.
  version.files.pop_back();
  BOOST_TEST(store.put_version("maps", version));
  BOOST_TEST(store.load_files("maps", "1.0").size() == version.files.size());
}

BOOST_AUTO_TEST_SUITE_END()
