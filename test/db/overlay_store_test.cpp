#include "db/overlay_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
#include "db/component_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using db::Error;
using test::ErrorOfKind;

namespace {

struct Overlays : test::DatabaseFixture {
  db::OverlayStore store{database};

  Overlays() {
    db::ComponentStore(database).import(
        {test::make_component("alpha"), test::make_component("beta")});
  }

  // "path component position content" a section.
  std::vector<std::string> sections() {
    std::vector<std::string> lines;
    for (const auto& section : store.load()) {
      lines.push_back(section.path + " " + (section.component ? section.component->str() : "") +
                      " " + std::to_string(section.position) + " " + section.content);
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;
using db::ImportChange;

struct Defaults : Overlays {
  const std::vector<domain::OverlaySection> first{{"a.cfg", {}, 1, "one"},
                                                  {"a.cfg", domain::Slug("alpha"), 2, "two"},
                                                  {"b.cfg", domain::Slug("beta"), 1, "three"}};

  std::vector<ImportChange> import(const std::vector<domain::OverlaySection>& sections,
                                   bool replace = false) {
    std::vector<ImportChange> changes;
    for (const auto& each : store.import_defaults(sections, replace)) {
      changes.push_back(each.change);
    }
    return changes;
  }
  std::vector<std::string> sources() {
    std::vector<std::string> found;
    for (const auto& each : store.list()) found.push_back(each.source);
    return found;
  }
};

using Changes = std::vector<ImportChange>;
using Sources = std::vector<std::string>;
constexpr auto kCreated = ImportChange::created;
constexpr auto kUpdated = ImportChange::updated;
constexpr auto kUnchanged = ImportChange::unchanged;
constexpr auto kKept = ImportChange::kept;
constexpr auto kRemoved = ImportChange::removed;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(overlay_store, Overlays)

BOOST_AUTO_TEST_CASE(sections_come_back_by_path_position_and_component) {
  store.set({"cstrike/server.cfg", domain::Slug("beta"), 2, "b"});
  store.set({"cstrike/server.cfg", domain::Slug("alpha"), 2, "a"});
  store.set({"cstrike/server.cfg", {}, 5, "all"});
  store.set({"cstrike/amxx.cfg", domain::Slug("beta"), 9, "x"});
  BOOST_TEST(sections() == (Lines{"cstrike/amxx.cfg beta 9 x", "cstrike/server.cfg alpha 2 a",
                                  "cstrike/server.cfg beta 2 b", "cstrike/server.cfg  5 all"}));
}

BOOST_AUTO_TEST_CASE(a_section_of_the_same_path_and_component_is_replaced) {
  store.set({"a.cfg", {}, 1, "old"});
  store.set({"a.cfg", {}, 2, "new"});
  store.set({"a.cfg", domain::Slug("alpha"), 1, "old"});
  store.set({"a.cfg", domain::Slug("alpha"), 1, "new"});
  BOOST_TEST(sections() == (Lines{"a.cfg alpha 1 new", "a.cfg  2 new"}));
}

BOOST_AUTO_TEST_CASE(the_same_again_does_not_move_the_revision) {
  store.set({"a.cfg", domain::Slug("alpha"), 1, "text"});
  const auto revision = db::read_progress(database).revision;
  store.set({"a.cfg", domain::Slug("alpha"), 1, "text"});
  BOOST_TEST(db::read_progress(database).revision == revision);
  store.set({"a.cfg", domain::Slug("alpha"), 1, "texts"});
  BOOST_TEST(db::read_progress(database).revision > revision);
}

BOOST_AUTO_TEST_CASE(content_is_kept_byte_for_byte_and_paths_match_byte_for_byte) {
  std::string bytes = "\r\n\xEF\xBB\xBF";
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  store.set({"a.cfg", {}, 1, bytes});
  store.set({"A.cfg", {}, 1, "upper"});
  store.set({"a.cfg ", {}, 1, "space"});
  const auto loaded = store.load();
  BOOST_REQUIRE(loaded.size() == 3U);
  BOOST_CHECK(loaded[1].content == bytes);
  BOOST_TEST(store.remove_all("a.cfg") == 1U);
}

BOOST_AUTO_TEST_CASE(an_unknown_component_is_refused_by_name) {
  BOOST_CHECK_EXCEPTION(store.set({"a.cfg", domain::Slug("gamma"), 1, "x"}), Error,
                        (ErrorOfKind{Error::Kind::constraint, "gamma"}));
  BOOST_TEST(store.load().empty());
}

BOOST_AUTO_TEST_CASE(one_section_or_all_of_a_path_can_be_removed) {
  const std::optional<domain::Slug> alpha = domain::Slug("alpha");
  const std::optional<domain::Slug> beta = domain::Slug("beta");
  const auto fill = [&] {
    for (const std::optional<domain::Slug>& component :
         {std::optional<domain::Slug>(), alpha, beta}) {
      store.set({"a.cfg", component, 1, "x"});
    }
    store.set({"b.cfg", {}, 1, "x"});
  };
  fill();
  BOOST_TEST(!store.remove("a.cfg", domain::Slug("gamma")));
  BOOST_TEST(store.remove("a.cfg", alpha));
  BOOST_TEST(!store.remove("a.cfg", alpha));
  BOOST_TEST(store.remove("a.cfg", std::nullopt));
  BOOST_TEST(sections() == (Lines{"a.cfg beta 1 x", "b.cfg  1 x"}));
  fill();
  BOOST_TEST(store.remove_all("a.cfg") == 3U);
  BOOST_TEST(store.remove_all("none.cfg") == 0U);
  BOOST_TEST(sections() == (Lines{"b.cfg  1 x"}));
}

BOOST_AUTO_TEST_CASE(an_import_sets_all_of_its_sections_or_none) {
  store.set({"a.cfg", domain::Slug("alpha"), 1, "old"});
  BOOST_CHECK_EXCEPTION(store.import({{"a.cfg", domain::Slug("alpha"), 1, "new"},
                                      {"b.cfg", domain::Slug("gamma"), 1, "x"}}),
                        Error, (ErrorOfKind{Error::Kind::constraint, "gamma"}));
  BOOST_TEST(sections() == (Lines{"a.cfg alpha 1 old"}));
  const auto changes =
      store.import({{"a.cfg", domain::Slug("alpha"), 1, "new"}, {"b.cfg", {}, 1, "x"}});
  BOOST_REQUIRE(changes.size() == 2U);
  BOOST_CHECK(changes[0].change == kUpdated);
  BOOST_CHECK(changes[1].change == kCreated);
  BOOST_TEST(sections() == (Lines{"a.cfg alpha 1 new", "b.cfg  1 x"}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(overlay_defaults, Defaults)

BOOST_AUTO_TEST_CASE(defaults_follow_their_catalog) {
  BOOST_CHECK((import(first) == Changes{kCreated, kCreated, kCreated}));
  BOOST_CHECK((sources() == Sources(3, "default")));
  const auto revision = db::read_progress(database).revision;
  BOOST_CHECK((import(first) == Changes{kUnchanged, kUnchanged, kUnchanged}));
  BOOST_TEST(db::read_progress(database).revision == revision);
  BOOST_CHECK((import({{"a.cfg", {}, 1, "one"}, {"a.cfg", domain::Slug("alpha"), 3, "two"}}) ==
               Changes{kUnchanged, kUpdated, kRemoved}));
  BOOST_TEST(sections() == (Lines{"a.cfg  1 one", "a.cfg alpha 3 two"}));
  BOOST_CHECK((import(first) == Changes{kUnchanged, kUpdated, kCreated}));
}

BOOST_AUTO_TEST_CASE(what_the_operator_changed_is_kept_until_it_is_given_up) {
  import(first);
  store.set({"a.cfg", {}, 9, "one"});
  store.import({{"a.cfg", domain::Slug("alpha"), 2, "mine"}});
  BOOST_CHECK((sources() == Sources{"changed", "changed", "default"}));
  BOOST_CHECK((
      import({{"a.cfg", {}, 1, "newer"}, {"a.cfg", domain::Slug("alpha"), 2, "newer"}, first[2]}) ==
      Changes{kKept, kKept, kUnchanged}));
  BOOST_TEST(sections() == (Lines{"a.cfg alpha 2 mine", "a.cfg  9 one", "b.cfg beta 1 three"}));
  BOOST_CHECK((import(first, true) == Changes{kUpdated, kUpdated, kUnchanged}));
  BOOST_CHECK((sources() == Sources(3, "default")));
  BOOST_CHECK((import({{"a.cfg", {}, 1, "newer"}, first[1], first[2]}) ==
               Changes{kUpdated, kUnchanged, kUnchanged}));
}

BOOST_AUTO_TEST_CASE(a_section_that_was_there_before_the_defaults_is_the_operators_own) {
  store.set({"a.cfg", {}, 1, "mine"});
  BOOST_CHECK((import(first) == Changes{kKept, kCreated, kCreated}));
  BOOST_CHECK((sources() == Sources{"own", "default", "default"}));
  BOOST_CHECK((import({first[1], first[2]}) == Changes{kUnchanged, kUnchanged}));
  BOOST_TEST(sections().front() == "a.cfg  1 mine");
}

BOOST_AUTO_TEST_CASE(one_that_comes_to_be_what_the_catalog_has_is_a_default_again) {
  store.set(first[0]);
  BOOST_CHECK((import(first) == Changes{kUnchanged, kCreated, kCreated}));
  BOOST_CHECK((sources() == Sources(3, "default")));
  store.set({"a.cfg", domain::Slug("alpha"), 2, "newer"});
  const std::vector<domain::OverlaySection> newer{
      first[0], {"a.cfg", domain::Slug("alpha"), 2, "newer"}, first[2]};
  BOOST_CHECK((import(newer) == Changes{kUnchanged, kUnchanged, kUnchanged}));
  BOOST_CHECK((import(first) == Changes{kUnchanged, kUpdated, kUnchanged}));
}

BOOST_AUTO_TEST_CASE(a_default_that_the_operator_removed_stays_away) {
  import(first);
  store.remove_all("a.cfg");
  BOOST_CHECK((import(first) == Changes{kKept, kKept, kUnchanged}));
  BOOST_TEST(sections() == (Lines{"b.cfg beta 1 three"}));
  BOOST_CHECK((import(first, true) == Changes{kCreated, kCreated, kUnchanged}));
}

BOOST_AUTO_TEST_CASE(a_changed_section_outlives_its_default) {
  import(first);
  store.set({"b.cfg", domain::Slug("beta"), 1, "mine"});
  BOOST_CHECK((import({first[0]}) == Changes{kUnchanged, kRemoved}));
  BOOST_TEST(sections() == (Lines{"a.cfg  1 one", "b.cfg beta 1 mine"}));
  BOOST_CHECK((sources() == Sources{"default", "own"}));
}

BOOST_AUTO_TEST_CASE(a_default_of_an_unknown_component_leaves_everything_as_it_was) {
  import(first);
  BOOST_CHECK_EXCEPTION(
      import({{"a.cfg", {}, 1, "newer"}, {"c.cfg", domain::Slug("gamma"), 1, "x"}}), Error,
      (ErrorOfKind{Error::Kind::constraint, "gamma"}));
  BOOST_TEST(sections().front() == "a.cfg  1 one");
  BOOST_CHECK((import(first) == Changes{kUnchanged, kUnchanged, kUnchanged}));
}

BOOST_AUTO_TEST_SUITE_END()
