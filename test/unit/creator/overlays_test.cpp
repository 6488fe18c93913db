// Tuned configuration (decision S13).
#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Sections = std::vector<domain::OverlaySection>;

constexpr const char* kPath = "cstrike/game.cfg";

domain::Catalog catalog() {
  return catalog_of({A("game", Layer::gamedll, 1)
                         .version("1", "2024-01-01 00:00:00"_utc,
                                  {{kPath, 100, true}, {"cstrike/other.cfg", 7, false}}),
                     A("engine", Layer::engine, 2).version("1")});
}

SelectionRequest optimized(std::string_view components) {
  return parse_selection_request(components, std::nullopt, true);
}

Plan tuned(std::string_view components, const Sections& sections) {
  return planned(optimized(components), catalog(), {}, sections);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(overlays)

BOOST_AUTO_TEST_CASE(a_section_replaces_the_upstream_file) {
  const Plan plan = tuned("game", {{kPath, {}, 0, "mp_a 1\n"}});
  BOOST_TEST(content_of(plan, kPath) == "mp_a 1\n");
  BOOST_TEST(source_of(plan, kPath) == "svc-optimized/edited");
  BOOST_TEST(find_file(plan, kPath)->size == 7U);
  BOOST_TEST(source_of(plan, "cstrike/other.cfg") == "game/upstream");
  BOOST_TEST(plan.optimized);
}

BOOST_AUTO_TEST_CASE(an_edited_file_keeps_its_executable_bit) {
  BOOST_TEST(find_file(tuned("game", {{kPath, {}, 0, "x"}}), kPath)->executable);
}

BOOST_AUTO_TEST_CASE(nothing_is_edited_if_optimized_is_off) {
  const Plan plan = planned(asking("game"), catalog(), {}, {{kPath, {}, 0, "mp_a 1\n"}});
  BOOST_TEST(source_of(plan, kPath) == "game/upstream");
  BOOST_TEST(!plan.optimized);
}

BOOST_AUTO_TEST_CASE(sections_follow_their_position_then_their_component) {
  const Sections sections = {{kPath, domain::Slug("game"), 1, "game"},
                             {kPath, domain::Slug("engine"), 1, "engine"},
                             {kPath, {}, 2, "last"},
                             {kPath, {}, 0, "first"}};
  BOOST_TEST(content_of(tuned("game,engine", sections), kPath) == "first\nengine\ngame\nlast\n");
  const Sections reversed(sections.rbegin(), sections.rend());
  BOOST_TEST(content_of(tuned("game,engine", reversed), kPath) == "first\nengine\ngame\nlast\n");
}

BOOST_AUTO_TEST_CASE(each_section_ends_in_one_line_feed) {
  const Sections sections = {
      {kPath, {}, 0, "a"}, {kPath, domain::Slug("game"), 1, "b\n"}, {kPath, {}, 2, "c"}};
  BOOST_TEST(content_of(tuned("game", sections), kPath) == "a\nb\nc\n");
}

BOOST_AUTO_TEST_CASE(a_section_of_a_component_that_is_not_selected_does_not_apply) {
  const Sections sections = {{kPath, {}, 0, "all"}, {kPath, domain::Slug("engine"), 1, "engine"}};
  BOOST_TEST(content_of(tuned("game", sections), kPath) == "all\n");
  BOOST_TEST(content_of(tuned("game,engine", sections), kPath) == "all\nengine\n");
}

BOOST_AUTO_TEST_CASE(the_upstream_file_stays_if_no_section_applies) {
  const Plan plan = tuned("game", {{kPath, domain::Slug("engine"), 0, "x"}});
  BOOST_TEST(source_of(plan, kPath) == "game/upstream");
  BOOST_TEST(find_file(plan, kPath)->size == 100U);
}

BOOST_AUTO_TEST_CASE(an_overlay_adds_no_file_that_the_selection_does_not_ship) {
  const Plan plan = tuned("engine", {{kPath, {}, 0, "x"}, {"cstrike/new.cfg", {}, 0, "x"}});
  BOOST_TEST(source_of(plan, kPath) == "(none)");
  BOOST_TEST(source_of(plan, "cstrike/new.cfg") == "(none)");
}

BOOST_AUTO_TEST_CASE(a_generated_file_beats_an_overlay) {
  const auto shipping = catalog_of({A("engine", Layer::engine).with({"cstrike/liblist.gam"})});
  const Plan plan =
      planned(optimized("engine"), shipping, {}, {{"cstrike/liblist.gam", {}, 0, "mine"}});
  BOOST_TEST(source_of(plan, "cstrike/liblist.gam") == "svc/generated");
  BOOST_TEST(plan.build_hash == planned(optimized("engine"), shipping).build_hash);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
