#include <boost/test/unit_test.hpp>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace overlays {
namespace {

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine");
    text = write("text.cfg", "sv_maxrate 100000\n");
  }
  std::string text;
};

}  // namespace
}  // namespace overlays

BOOST_FIXTURE_TEST_SUITE(overlays, Fixture)

BOOST_AUTO_TEST_CASE(setting_the_same_section_again_changes_nothing) {
  BOOST_TEST(done({"overlay", "set", "cstrike/game.cfg", "--file", text}) ==
             "created    cstrike/game.cfg\n");
  BOOST_TEST(done({"overlay", "set", "cstrike/game.cfg", "--file", text}) ==
             "unchanged  cstrike/game.cfg\n");
  BOOST_TEST(done({"overlay", "set", "cstrike/game.cfg", "--file", text, "--position", "5"}) ==
             "updated    cstrike/game.cfg\n");
  // Without a position it keeps the one it has.
  BOOST_TEST(done({"overlay", "set", "cstrike/game.cfg", "--file", text}) ==
             "unchanged  cstrike/game.cfg\n");
  BOOST_TEST(done({"overlay", "list"}) ==
             "PATH              POSITION  COMPONENT  SOURCE  BYTES\n"
             "cstrike/game.cfg         5  (always)   own        18\n");
}

BOOST_AUTO_TEST_CASE(a_section_is_named_by_its_path_and_component) {
  done({"overlay", "set", "a.cfg", "--file", text});
  done({"overlay", "set", "a.cfg", "--file", text, "--component", "engine"});
  BOOST_TEST(done({"overlay", "remove", "a.cfg"}) == "removed 1 section of a.cfg\n");
  BOOST_TEST(failed({"overlay", "remove", "a.cfg"}) ==
             "goldsmith: a.cfg has no section without a component; it has: engine\n");
  BOOST_TEST(done({"overlay", "remove", "a.cfg", "--component", "engine"}) ==
             "removed 1 section of a.cfg\n");
  BOOST_TEST(failed({"overlay", "remove", "a.cfg", "--component", "engine"}) ==
             "goldsmith: a.cfg has no section for \"engine\"\n");
  BOOST_TEST(done({"overlay", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(all_sections_of_a_path_can_be_removed_at_once) {
  done({"overlay", "set", "a.cfg", "--file", text});
  done({"overlay", "set", "a.cfg", "--file", text, "--component", "engine"});
  done({"overlay", "set", "b.cfg", "--file", text});
  BOOST_TEST(done({"overlay", "remove", "a.cfg", "--all"}) == "removed 2 sections of a.cfg\n");
  BOOST_TEST(failed({"overlay", "remove", "a.cfg", "--all"}) ==
             "goldsmith: a.cfg has no sections\n");
  BOOST_TEST(done({"overlay", "list"}).find("b.cfg") != std::string::npos);
  BOOST_TEST(call({"overlay", "remove", "b.cfg", "--all", "--component", "engine"}).code == 2);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_an_overlay_is_refused) {
  BOOST_TEST(failed({"overlay", "set", "a.cfg", "--file", text, "--component", "motor"}) ==
             "goldsmith: there is no component \"motor\"; see \"goldsmith component list\"\n");
  const std::string binary = write("binary", std::string("a\0b", 3));
  BOOST_TEST(failed({"overlay", "set", "a.cfg", "--file", binary}) ==
             "goldsmith: DIR/binary: holds a NUL byte; a section is text\n");
  BOOST_TEST(failed({"overlay", "set", "a.cfg", "--file", path("none").string()})
                 .starts_with("goldsmith: DIR/none: "));
  BOOST_TEST(done({"overlay", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
