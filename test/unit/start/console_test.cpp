#include "app/start/console.hpp"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <map>
#include <utility>

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
    " [  3] X                       1           y                 x.amxx           debug    \n"
    "(  2) Load fails: Plugin uses an unknown function (name \"f\") - check your modules.ini.\n"
    "3 plugins, 2 running\n";

using Topic = Questions::Topic;
using Answers = std::map<Topic, std::string>;

// The words that a console prints before and after an answer, as its commands name them.
std::pair<std::string, std::string> words_of(const Questions& questions, const char* command) {
  const std::string commands = questions.commands("x");
  const std::size_t at = commands.find(std::string("; ") + command);
  BOOST_TEST_REQUIRE(at != std::string::npos);
  const auto echoed = [&](std::size_t begin, std::size_t end) {
    std::string words = commands.substr(begin, end - begin);
    std::erase(words, '"');
    return words;
  };
  constexpr std::size_t kEcho = 5;
  const std::size_t before = commands.rfind("echo ", at) + kEcho;
  const std::size_t after = commands.find("echo ", at) + kEcho;
  return {echoed(before, at), echoed(after, commands.find('\n', after))};
}

// What a console prints that answers: "plugins" is asked for last.
std::string output_of(const Questions& questions, const Answers& answers,
                      const std::string& noise = "", const std::string& end = "") {
  constexpr std::array<std::pair<Topic, const char*>, 4> kCommands{
      {{Topic::versions, "version; game version"},
       {Topic::metamod, "meta list"},
       {Topic::modules, "amxx modules"},
       {Topic::plugins, "amxx plugins"}}};
  std::string output = noise;
  for (const auto& [topic, command] : kCommands) {
    const auto [before, after] = words_of(questions, command);
    const auto answer = answers.find(topic);
    output += before + " \n" + (answer == answers.end() ? "" : answer->second) + after + " \n";
  }
  return output + end;
}

Console console_of(const Answers& answers, const std::string& noise = "",
                   const std::string& end = "") {
  const Questions questions;
  return read_console(output_of(questions, answers, noise, end), questions);
}

std::string only_problem(const std::string& line) {
  const Console console = console_of({}, line + "\n");
  BOOST_TEST_REQUIRE(console.problems.size() == 1U, line);
  return console.problems[0].plugin + ": " + console.problems[0].text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(consoles)

BOOST_AUTO_TEST_CASE(lists_are_read_by_the_columns_of_their_headers) {
  const Console console = console_of(
      {{Topic::metamod, kMetamod}, {Topic::modules, kModules}, {Topic::plugins, kPlugins}});
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
  BOOST_TEST(console.is_complete);
}

// AMX Mod X 1.10 has more columns than 1.9, and shorter names of files.
BOOST_AUTO_TEST_CASE(a_name_that_fills_its_column_may_be_the_beginning_of_another) {
  const auto may_be = [](const Listed& listed, const char* whole) { return listed.may_be(whole); };
  const Console old = console_of({{Topic::plugins, kPlugins}});
  BOOST_TEST(may_be(old.plugins[0], "multilingual.amxx"));
  BOOST_TEST(!may_be(old.plugins[0], "multilingua.amxx"));
  BOOST_TEST(!may_be(old.plugins[1], "afk_watch.amxx2"));
  BOOST_TEST(may_be(old.plugins[2], "x.amxx"));
  const Console console = console_of(
      {{Topic::plugins,
        "       id  name                    version     author            url              "
        "file         status   \n"
        " [  1] 0   Admin Base              1.10.0.546  AMXX Dev Team                      "
        "admin.amxx   running  \n"
        " [  2] 1   Admin Commands          1.10.0.546  AMXX Dev Team                      "
        "admincmd.am  running  \n"}});
  BOOST_TEST_REQUIRE(console.plugins.size() == 2U);
  BOOST_TEST(console.plugins[1].name == "Admin Commands");
  BOOST_TEST(console.plugins[1].state == "running");
  BOOST_TEST(!may_be(console.plugins[0], "admin.amxx2"));
  BOOST_TEST(may_be(console.plugins[1], "admincmd.amxx"));
}

BOOST_AUTO_TEST_CASE(versions_and_the_end_are_noticed) {
  const Console console =
      console_of({{Topic::versions,
                   "Exe version 1.0.1.4 (valve)\nReHLDS version: 3.14.0.857-dev\r\n"
                   "ReGameDLL version: 5.28.0.756-dev\n"}});
  BOOST_TEST(console.engine == "ReHLDS 3.14.0.857-dev");
  BOOST_TEST(console.game == "ReGameDLL 5.28.0.756-dev");
  BOOST_TEST(console.is_complete);
  BOOST_TEST(console_of({{Topic::versions, "Exe version 1.1.2.7 (cstrike)\n"}}).engine ==
             "HLDS 1.1.2.7 (cstrike)");
  // One that ended before its last answer.
  const Questions questions;
  const std::string output = output_of(questions, {{Topic::plugins, kPlugins}});
  const std::string cut = output.substr(0, output.size() - 4);
  BOOST_TEST(!read_console(cut, questions).is_complete);
  BOOST_TEST(read_console(cut, questions).plugins.empty());
}

// What the console prints is known before; what is between its words can't be.
BOOST_AUTO_TEST_CASE(nobody_answers_in_its_place) {
  const std::string forged =
      kMetamod + kModules + kPlugins + "goldsmith: asked for everything\nReHLDS version: 9\n";
  for (const Console& console : {console_of({}, forged), console_of({}, "", forged)}) {
    BOOST_TEST(console.engine == "");
    BOOST_TEST(console.metamod.empty());
    BOOST_TEST(console.modules.empty());
    BOOST_TEST(console.plugins.empty());
  }
  const Questions questions;
  BOOST_TEST(!read_console(forged, questions).is_complete);
  // A console that shows what it reads has not answered yet.
  BOOST_TEST(!read_console(questions.commands("x"), questions).is_complete);
  // The words are others in each start, and of each list.
  const Questions others;
  BOOST_TEST(!read_console(output_of(others, {}), questions).is_complete);
  // What was printed with the words once they are known comes too late.
  std::string late = output_of(questions, {{Topic::plugins, kPlugins}});
  late += output_of(questions, {{Topic::plugins, ""}});
  BOOST_TEST(read_console(late, questions).plugins.size() == 3U);
}

BOOST_AUTO_TEST_CASE(nobody_has_so_many_problems_that_others_have_none) {
  std::string noise;
  for (int i = 0; i < 1000; ++i) {
    noise += "ERROR: " + std::to_string(i) + "\n[AMXX] Run time error 4 (plugin \"fake" +
             std::to_string(i) + ".amxx\")\n[AMXX] Run time error " + std::to_string(i) +
             " (plugin \"x.amxx\")\n";
  }
  noise += "[AMXX] Run time error 10 (plugin \"multilingual.amxx\")\n";
  const Console console = console_of({{Topic::plugins, kPlugins}}, noise);
  const auto count = [&](const std::string& plugin) {
    return std::ranges::count(console.problems, plugin, &Problem::plugin);
  };
  BOOST_TEST(count("x.amxx") == static_cast<std::ptrdiff_t>(kMostOfPlugin));
  BOOST_TEST(count("multilingual.amxx") == 1);
  // That of the list, too.
  BOOST_TEST(console.problems.front().row.has_value());
  BOOST_TEST(console.problems.size() == 1 + kMostOfPlugin + 1 + kMostOthers);
}

// The name of a plugin may have the end of a line.
BOOST_AUTO_TEST_CASE(rows_of_the_console_are_read_in_their_order_alone) {
  const Console console =
      console_of({{Topic::plugins,
                   "       name                    version     author            file             "
                   "status   \n"
                   " [  1] Liar\n"
                   " [  9] Innocent               1           y                 innocent.amxx    "
                   "bad load \n"
                   " [  2] X                       1           y                 x.amxx           "
                   "running  \n"}});
  BOOST_TEST_REQUIRE(console.plugins.size() == 2U);
  BOOST_TEST(console.plugins[1].file == "x.amxx");
}

// As rows do, a reason comes from the server alone.
BOOST_AUTO_TEST_CASE(reasons_are_those_of_their_rows) {
  const std::string header =
      "       name                    version     author            file             status   \n";
  const std::string innocent =
      " [  1] Innocent                1           y                 innocent.amxx    running  \n";
  const std::string broken =
      " [  2] Broken                  1           y                 broken.amxx      bad load \n";
  const std::string failed =
      " [  3] Failed                  1           y                 failed.amxx      error    \n";
  const auto forged = [](int number) {
    return " [  4] \n(  " + std::to_string(number) +
           ") Load fails: It  steals your rcon_password !  liar.amxx        running  \n";
  };
  const auto reasons = [&](const std::string& more) {
    std::string text;
    for (const Problem& problem :
         console_of({{Topic::plugins, header + innocent + broken + failed + more}}).problems) {
      text += std::to_string(problem.row.value_or(99)) + " " + problem.text + "\n";
    }
    return text;
  };
  const std::string real = "(  2) Load fails: no such native\n(  3) Error: no map\n";
  BOOST_TEST(reasons(real) == "1 no such native\n2 no map\n");
  BOOST_TEST(reasons(forged(1) + real) == "1 no such native\n2 no map\n");
  BOOST_TEST(reasons(forged(2) + real) == "2 no map\n");
  BOOST_TEST(reasons(forged(3) + real) == "1 no such native\n");
  BOOST_TEST(reasons(real + forged(2)) == "2 no map\n");
  BOOST_TEST(reasons("(  1) Error: no\n(  9) Load fails: no\n(  0) Load fails: no\n").empty());
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
  const Console listed = console_of({{Topic::plugins, kPlugins}});
  BOOST_TEST_REQUIRE(listed.problems.size() == 1U);
  BOOST_TEST((listed.problems[0].row == 1U));
  BOOST_TEST(listed.problems[0].text ==
             "Plugin uses an unknown function (name \"f\") - check your modules.ini.");
}

BOOST_AUTO_TEST_CASE(what_does_not_run_of_metamod_says_why) {
  const auto said = [](const std::string& line) {
    return console_of({{Topic::metamod, kMetamod}}, line + "\n").problems;
  };
  BOOST_TEST_REQUIRE(said("[HAM SANDWICH]: the salt is too short").size() == 1U);
  BOOST_TEST((said("[Ham Sandwich]: it")[0].weight == Problem::Weight::error));
  BOOST_TEST(said("[AMX Mod X]: all is well").empty());
  BOOST_TEST(said("[Nobody]: something").empty());
  BOOST_TEST(said("Ham Sandwich: something").empty());
}

BOOST_AUTO_TEST_CASE(what_ends_the_engine_is_fatal) {
  for (const char* line : {"FATAL ERROR (shutting down): no", "Mod_LoadModel: x.mdl not found",
                           "EV_Precache_internal: file x.sc missing"}) {
    const Console console = console_of({}, std::string(line) + "\n");
    BOOST_TEST_REQUIRE(console.problems.size() == 1U);
    BOOST_TEST((console.problems[0].weight == Problem::Weight::fatal));
  }
  BOOST_TEST(only_problem("[ReAPI] init: function (f) is not available, ReGameDLL required.") ==
             ": [ReAPI] init: function (f) is not available, ReGameDLL required.");
}

BOOST_AUTO_TEST_CASE(hostile_output_is_cut_and_shown) {
  std::string list = "       name version file status\n";
  std::string noise;
  for (int i = 1; i < 3000; ++i) {
    list += " [" + std::to_string(i) + "] \x1b[2J   \xff      x    y\n";
    noise += "[AMXX] Plugin \"" + std::to_string(i) + "\" failed to load: \xc3" +
             std::string(1000, 'x') + "\n";
  }
  const Console console = console_of({{Topic::plugins, list}}, noise);
  BOOST_TEST(console.plugins.size() == 1000U);
  BOOST_TEST(console.problems.size() == kMostOthers);
  for (const Problem& problem : console.problems) {
    BOOST_TEST(problem.text.size() <= 300U);
    BOOST_TEST(goldsmith::base::is_printable(problem.text));
  }
  for (const Listed& each : console.plugins) {
    BOOST_TEST(goldsmith::base::is_printable(each.name + each.state));
  }
  console_of({}, std::string(5'000'000, ' '));
  console_of({}, std::string(5'000'000, '['));
}

BOOST_AUTO_TEST_SUITE_END()
