#include "app/start/console.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/text.hpp"

using namespace goldsmith::start;

namespace {

const std::string kMetamod =
    "Currently loaded plugins:\n"
    "      description   stat pend  file                      vers         src  load  unload\n"
    " [ 1] AMX Mod X     RUN   -    amxmodx_mm_i386.so        v1.9.0.5294  ini  Start ANY  \n"
    " [ 2] Ham Sandwich  badf  -    hamsandwich_amxx_i386.so  v1.9.0.5294  pl1  ANY   ANY  \n"
    "2 plugins, 1 running\n";
const std::string kModules =
    "Currently loaded modules:\n"
    "      name                    version     author               status     \n"
    " [ 1] Ham Sandwich            1.9.0.5294  AMX Mod X Dev Team   running    \n"
    "1 modules, 1 correct\n";
const std::string kPlugins =
    "Currently loaded plugins:\n"
    "       name                    version     author            file             status   \n"
    " [  1] Multi-Lingual System    1.9.0.5294  AMXX Dev Team     multilingual.am  running  \n"
    " [  2] Kicks the idle with a l 2.0-release somebody who wrot afk_watch.amxx   bad load \n"
    " (  2) Load fails: Plugin uses an unknown function (name \"f\") - check your modules.ini.\n"
    " [  3] X                       1           y                 x.amxx           debug    \n"
    "3 plugins, 2 running\n";

std::string only_problem(const std::string& line) {
  const Console console = read_console(line + "\n");
  BOOST_TEST_REQUIRE(console.problems.size() == 1U, line);
  return console.problems[0].plugin + ": " + console.problems[0].text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(consoles)

BOOST_AUTO_TEST_CASE(lists_are_read_by_the_columns_of_their_headers) {
  const Console console = read_console(kMetamod + kModules + kPlugins);
  BOOST_TEST_REQUIRE(console.metamod.size() == 2U);
  BOOST_TEST(console.metamod[1].name == "Ham Sandwich");
  BOOST_TEST(console.metamod[1].version == "v1.9.0.5294");
  BOOST_TEST(console.metamod[1].file == "hamsandwich_amxx_i386.so");
  BOOST_TEST(console.metamod[1].state == "badf");
  BOOST_TEST_REQUIRE(console.modules.size() == 1U);
  BOOST_TEST(console.modules[0].name == "Ham Sandwich");
  BOOST_TEST(console.modules[0].file == "");
  BOOST_TEST(console.modules[0].state == "running");
  BOOST_TEST_REQUIRE(console.plugins.size() == 3U);
  BOOST_TEST(console.plugins[0].file == "multilingual.am");
  BOOST_TEST(console.plugins[1].name == "Kicks the idle with a l");
  BOOST_TEST(console.plugins[1].state == "bad load");
  BOOST_TEST(console.plugins[2].state == "debug");
  BOOST_TEST(!console.is_complete);
}

// AMX Mod X 1.10 has more columns than 1.9, and shorter names of files.
BOOST_AUTO_TEST_CASE(a_name_that_fills_its_column_may_be_the_beginning_of_another) {
  const auto may_be = [](const Listed& listed, const char* whole) { return listed.may_be(whole); };
  const Console old = read_console(kPlugins);
  BOOST_TEST(may_be(old.plugins[0], "multilingual.amxx"));
  BOOST_TEST(!may_be(old.plugins[0], "multilingua.amxx"));
  BOOST_TEST(!may_be(old.plugins[1], "afk_watch.amxx2"));
  BOOST_TEST(may_be(old.plugins[2], "x.amxx"));
  const Console console = read_console(
      "       id  name                    version     author            url              "
      "file         status   \n"
      " [  1] 0   Admin Base              1.10.0.546  AMXX Dev Team                      "
      "admin.amxx   running  \n"
      " [  2] 1   Admin Commands          1.10.0.546  AMXX Dev Team                      "
      "admincmd.am  running  \n");
  BOOST_TEST_REQUIRE(console.plugins.size() == 2U);
  BOOST_TEST(console.plugins[1].name == "Admin Commands");
  BOOST_TEST(console.plugins[1].state == "running");
  BOOST_TEST(!may_be(console.plugins[0], "admin.amxx2"));
  BOOST_TEST(may_be(console.plugins[1], "admincmd.amxx"));
}

BOOST_AUTO_TEST_CASE(versions_and_the_end_are_noticed) {
  const Console console = read_console(
      "Exe version 1.0.1.4 (valve)\nReHLDS version: 3.14.0.857-dev\r\n"
      "ReGameDLL version: 5.28.0.756-dev\ngoldsmith: asked for everything \n");
  BOOST_TEST(console.engine == "ReHLDS 3.14.0.857-dev");
  BOOST_TEST(console.game == "ReGameDLL 5.28.0.756-dev");
  BOOST_TEST(console.is_complete);
  BOOST_TEST(read_console("Exe version 1.1.2.7 (cstrike)").engine == "HLDS 1.1.2.7 (cstrike)");
  BOOST_TEST(console_commands("x").find("echo \"goldsmith: asked for everything\"\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(problems_belong_to_the_plugin_that_they_name) {
  BOOST_TEST(only_problem("L 11/27/2026 - 06:42:01: [AMXX] Plugin \"a.amxx\" failed to load: no") ==
             "a.amxx: [AMXX] Plugin \"a.amxx\" failed to load: no");
  BOOST_TEST(only_problem("[AMXX] Run time error 10 (plugin \"a.amxx\") (native \"f\")") ==
             "a.amxx: [AMXX] Run time error 10 (plugin \"a.amxx\") (native \"f\")");
  BOOST_TEST(only_problem("[AMXX] Displaying debug trace (plugin \"b.amxx\", version \"1\")\n"
                          "[AMXX] Run time error 4: index out of bounds") ==
             "b.amxx: [AMXX] Run time error 4: index out of bounds");
  BOOST_TEST(only_problem("[c.amxx] WARNING: no map") == "c.amxx: [c.amxx] WARNING: no map");
  const Console listed = read_console(kPlugins);
  BOOST_TEST_REQUIRE(listed.problems.size() == 1U);
  BOOST_TEST((listed.problems[0].row == 1U));
  BOOST_TEST(listed.problems[0].text ==
             "Plugin uses an unknown function (name \"f\") - check your modules.ini.");
}

BOOST_AUTO_TEST_CASE(what_ends_the_engine_is_fatal) {
  for (const char* line : {"FATAL ERROR (shutting down): no", "Mod_LoadModel: x.mdl not found",
                           "EV_Precache_internal: file x.sc missing"}) {
    const Console console = read_console(line);
    BOOST_TEST_REQUIRE(console.problems.size() == 1U);
    BOOST_TEST((console.problems[0].weight == Problem::Weight::fatal));
  }
  BOOST_TEST(only_problem("[ReAPI] init: function (f) is not available, ReGameDLL required.") ==
             ": [ReAPI] init: function (f) is not available, ReGameDLL required.");
}

BOOST_AUTO_TEST_CASE(hostile_output_is_cut_and_shown) {
  std::string output = "       name version file status\n";
  for (int i = 0; i < 3000; ++i) {
    output += " [  1] \x1b[2J   \xff      x    y\n[AMXX] Plugin \"" + std::to_string(i) +
              "\" failed to load: \xc3" + std::string(1000, 'x') + "\n";
  }
  const Console console = read_console(output);
  BOOST_TEST(console.plugins.size() <= 1000U);
  BOOST_TEST(console.problems.size() == 200U);
  for (const Problem& problem : console.problems) {
    BOOST_TEST(problem.text.size() <= 300U);
    BOOST_TEST(goldsmith::base::is_printable(problem.text));
  }
  for (const Listed& each : console.plugins) {
    BOOST_TEST(goldsmith::base::is_printable(each.name + each.state));
  }
  read_console(std::string(5'000'000, ' '));
  read_console(std::string(5'000'000, '['));
}

BOOST_AUTO_TEST_SUITE_END()
