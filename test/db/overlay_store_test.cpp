#include "db/overlay_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/component_store.hpp"
#include "db/setting_store.hpp"
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
      lines.push_back(section.path + " " + section.component + " " +
                      std::to_string(section.position) + " " + section.content);
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(overlay_store, Overlays)

BOOST_AUTO_TEST_CASE(sections_come_back_by_path_position_and_component) {
  store.set({"cstrike/server.cfg", "beta", 2, "b"});
  store.set({"cstrike/server.cfg", "alpha", 2, "a"});
  store.set({"cstrike/server.cfg", "", 5, "all"});
  store.set({"cstrike/amxx.cfg", "beta", 9, "x"});
  BOOST_TEST(sections() == (Lines{"cstrike/amxx.cfg beta 9 x", "cstrike/server.cfg alpha 2 a",
                                  "cstrike/server.cfg beta 2 b", "cstrike/server.cfg  5 all"}));
}

BOOST_AUTO_TEST_CASE(a_section_of_the_same_path_and_component_is_replaced) {
  store.set({"a.cfg", "", 1, "old"});
  store.set({"a.cfg", "", 2, "new"});
  store.set({"a.cfg", "alpha", 1, "old"});
  store.set({"a.cfg", "alpha", 1, "new"});
  BOOST_TEST(sections() == (Lines{"a.cfg alpha 1 new", "a.cfg  2 new"}));
}

BOOST_AUTO_TEST_CASE(the_same_again_does_not_move_the_revision) {
  store.set({"a.cfg", "alpha", 1, "text"});
  const auto revision = db::read_revision(database);
  store.set({"a.cfg", "alpha", 1, "text"});
  BOOST_TEST(db::read_revision(database) == revision);
  store.set({"a.cfg", "alpha", 1, "texts"});
  BOOST_TEST(db::read_revision(database) > revision);
}

BOOST_AUTO_TEST_CASE(content_is_kept_byte_for_byte_and_paths_match_byte_for_byte) {
  std::string bytes = "\r\n\xEF\xBB\xBF";
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  store.set({"a.cfg", "", 1, bytes});
  store.set({"A.cfg", "", 1, "upper"});
  store.set({"a.cfg ", "", 1, "space"});
  const auto loaded = store.load();
  BOOST_REQUIRE(loaded.size() == 3U);
  BOOST_CHECK(loaded[1].content == bytes);
  BOOST_TEST(store.remove("a.cfg", nullptr) == 1U);
}

BOOST_AUTO_TEST_CASE(an_unknown_component_is_refused_by_name) {
  for (const char* component : {"gamma", "Alpha", "alpha ", "\xff"}) {
    BOOST_CHECK_EXCEPTION(store.set({"a.cfg", component, 1, "x"}), Error,
                          (ErrorOfKind{Error::Kind::constraint, component}));
  }
  BOOST_TEST(store.load().empty());
}

BOOST_AUTO_TEST_CASE(one_section_or_all_of_a_path_can_be_removed) {
  const auto fill = [&] {
    for (const char* component : {"", "alpha", "beta"}) store.set({"a.cfg", component, 1, "x"});
    store.set({"b.cfg", "", 1, "x"});
  };
  fill();
  const std::string alpha = "alpha";
  const std::string none;
  const std::string unknown = "gamma";
  BOOST_TEST(store.remove("a.cfg", &unknown) == 0U);
  BOOST_TEST(store.remove("a.cfg", &alpha) == 1U);
  BOOST_TEST(store.remove("a.cfg", &alpha) == 0U);
  BOOST_TEST(store.remove("a.cfg", &none) == 1U);
  BOOST_TEST(sections() == (Lines{"a.cfg beta 1 x", "b.cfg  1 x"}));
  fill();
  BOOST_TEST(store.remove("a.cfg", nullptr) == 3U);
  BOOST_TEST(store.remove("none.cfg", nullptr) == 0U);
  BOOST_TEST(sections() == (Lines{"b.cfg  1 x"}));
}

BOOST_AUTO_TEST_SUITE_END()
