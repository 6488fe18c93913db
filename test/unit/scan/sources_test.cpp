// What a scan makes of sources, before anything is compiled.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <string>

#include "app/base/file.hpp"
#include "app/scan/steps.hpp"
#include "test/unit/scan/told.hpp"

namespace goldsmith::scan {
namespace {

using State = ScannedPlugin::State;

// In KiB: "VmRSS" is what this process has in memory, "VmHWM" the most that it has had.
std::uint64_t memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    std::uint64_t kib = 0;
    if (name == what + ':' && status >> kib) return kib;
  }
  return 0;
}

struct LeftFolder {
  ScannedPlugins read(const SourceTree::Bounds& bounds, std::chrono::steady_clock::time_point until,
                      const pawn::TextReader& texts = pawn::TextReader(),
                      const ScanRecord& record = ScanRecord()) const {
    const auto tree =
        std::make_shared<SourceTree>(SourceTree::Unpack(), std::filesystem::path(), bounds);
    tree->add(folder.path());
    const compile::InstalledIncludes none;
    ScanLine line;
    line.includes = &none;
    Told told;
    return read_sources(tree, texts, {line}, record, {}, "", told, until);
  }

  std::size_t count(const ScannedPlugins& plugins, State state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        plugins, [&](const ScannedPlugin& each) { return each.state() == state; }));
  }

  void write(const std::string& name, const std::string& content) const {
    base::write_atomically(folder.path() / name, content);
  }

  const base::TempDir folder;
  static constexpr auto kAlways = std::chrono::steady_clock::time_point::max();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scanned_sources, LeftFolder)

BOOST_AUTO_TEST_CASE(files_that_plugins_share_count_for_each_and_together_are_bounded) {
  constexpr int kPlugins = 10;
  write("shared.inc", "stock f() {}\n//" + std::string(1000, 'x') + '\n');
  for (int i = 0; i < kPlugins; ++i) {
    write("p" + std::to_string(i) + ".sma",
          "#include \"shared.inc\"\npublic plugin_init() {\n" + std::to_string(i) + ";\n}\n");
  }
  const ScannedPlugins all = read({}, kAlways);
  BOOST_TEST(count(all, State::refused) == 0U);
  const ScannedPlugins some = read({.bytes = 4000}, kAlways);
  BOOST_TEST(some.size() == static_cast<std::size_t>(kPlugins));
  BOOST_TEST(count(some, State::refused) == 7U);
  for (const ScannedPlugin& each : some) {
    if (each.state() == State::refused) {
      BOOST_TEST(each.refused ==
                 "is not scanned: with it the files of all plugins would have more than 3 KiB");
    }
  }
}

BOOST_AUTO_TEST_CASE(what_all_plugins_of_a_mod_say_is_said_of_none) {
  const auto plugin = [](const std::string& name, const std::string& comment) {
    return "/* " + comment + " */\npublic plugin_init() register_plugin(\"" + name +
           "\", \"1.0\", \"me\")\n";
  };
  const std::string mod = "Lets everybody play it as a death match.\n\n";
  write("a.sma", plugin("A", mod));
  write("b.sma", plugin("B", mod + "Shows who has won the round."));
  write("c.sma", plugin("C", mod + "Menu of weapons"));
  write("d.sma", plugin("D", "Opens a menu of weapons for all."));
  write("e.sma", plugin("E", "Opens a menu of weapons for all."));
  write("f.sma", plugin("E", "Opens a menu of weapons for all.") + "// 2\n");
  std::string summaries;
  for (const ScannedPlugin& each : read({}, kAlways)) summaries += each.prose.summary + '|';
  const std::string menu = "Opens a menu of weapons for all.|";
  BOOST_TEST(summaries == "|Shows who has won the round.||" + menu + menu + menu);
}

BOOST_AUTO_TEST_CASE(of_many_that_are_refused_the_others_are_counted) {
  for (int i = 0; i < 10'003; ++i) {
    std::ofstream(folder.path() / ("p" + std::to_string(i) + ".sma"))
        << "version https://git-lfs.github.com/spec/v1\n"
        << i << '\n';
  }
  const std::string others =
      "and 2 others are not read, and not listed with their reasons: too many are";
  const ScannedPlugins refused = read({}, kAlways);
  BOOST_TEST(refused.size() == 10'001U);
  BOOST_TEST(count(refused, State::refused) == 10'001U);
  BOOST_TEST(std::ranges::count(refused, others, &ScannedPlugin::refused) == 1);
}

// A person who had published it under that name would not be asked again.
BOOST_AUTO_TEST_CASE(a_name_that_a_plugin_has_is_no_question_where_its_source_still_gives_it) {
  write("c.sma",
        "#if defined BIO\n#define NAME \"[Bio] Countdown\"\n#else\n#define NAME \"[ZP] "
        "Countdown\"\n#endif\npublic plugin_init() { register_plugin(NAME, \"1.7\", \"Y\"); }\n");
  const auto named = [&](const std::string& name) {
    ScanRecord record;
    RecordedPlugin& known = record.plugins()["countdown"];
    known.source = (folder.path() / "c.sma").string();
    known.manifest = {{"name", name}};
    record.index();
    const ScannedPlugins plugins = read({}, kAlways, pawn::TextReader(), record);
    BOOST_REQUIRE(plugins.size() == 1U);
    BOOST_TEST(plugins[0].slug.str() == "countdown");
    return std::pair(plugins[0].facts.name, plugins[0].asked.size());
  };
  BOOST_TEST((named("[ZP] Countdown") == std::pair(std::string("[ZP] Countdown"), std::size_t{0})));
  BOOST_TEST(
      (named("[Bio] Countdown") == std::pair(std::string("[Bio] Countdown"), std::size_t{0})));
  BOOST_TEST((named("Other") == std::pair(std::string("[Bio] Countdown"), std::size_t{1})));
}

BOOST_AUTO_TEST_CASE(includes_and_dictionaries_in_other_code_pages_are_told) {
  // "Привет всем игрокам на сервере" and "Добро пожаловать" in windows-1251.
  const std::string cyrillic =
      "\xCF\xF0\xE8\xE2\xE5\xF2 \xE2\xF1\xE5\xEC \xE8\xE3\xF0\xEE\xEA\xE0\xEC \xED\xE0 "
      "\xF1\xE5\xF0\xE2\xE5\xF0\xE5, \xE4\xEE\xE1\xF0\xEE "
      "\xEF\xEE\xE6\xE0\xEB\xEE\xE2\xE0\xF2\xFC";
  write("x.sma",
        "#include <told>\n#include <silent>\npublic plugin_init() {\n"
        "register_plugin(\"X\", \"1.0\", \"me\"); register_dictionary(\"x.txt\"); "
        "register_dictionary(\"plain.txt\"); }\n");
  write("told.inc", "stock tell(id) client_print(id, 3, \"" + cyrillic + "\");\n");
  write("silent.inc", "// " + cyrillic + "\nstock other() {}\n");
  write("x.txt", "[ru]\nHELLO = " + cyrillic + "\n");
  write("plain.txt", "[en]\nHELLO = Hello\n");
  std::vector<std::string> told;
  const ScannedPlugins plugins = read({}, kAlways);
  for (const std::string& note : plugins.at(0).notes) {
    if (note.starts_with("players read wrong letters")) told.push_back(note);
  }
  const std::string end = " is in windows-1251, while the game shows UTF-8";
  BOOST_TEST(told == (std::vector<std::string>{
                         "players read wrong letters: addons/amxmodx/scripting/told.inc" + end,
                         "players read wrong letters: addons/amxmodx/data/lang/x.txt" + end}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_not_read_in_time_says_so) {
  write("a.sma", "public plugin_init() {}\n");
  const ScannedPlugins plugins = read({}, std::chrono::steady_clock::now());
  BOOST_TEST_REQUIRE(plugins.size() == 1U);
  BOOST_CHECK(plugins.front().state() == State::late);
  BOOST_TEST(plugins.front().why.starts_with("not read yet"));
}

// Forty plugins of 31 MB each, which share 31 files.
BOOST_AUTO_TEST_CASE(contents_stay_where_they_were_found) {
  constexpr int kPlugins = 40;
  constexpr int kFiles = 31;
#ifdef GOLDSMITH_SANITIZED
  constexpr std::uint64_t kMost = 900U << 10;
#else
  constexpr std::uint64_t kMost = 150U << 10;
#endif
  std::filesystem::create_directory(folder.path() / "configs");
  std::string named;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = "f" + std::to_string(i) + ".dat";
    write("configs/" + name, name + std::string(1'000'000, ' '));
    named += "copy(a, 63, \"addons/amxmodx/configs/" + name + "\"); ";
  }
  for (int i = 0; i < kPlugins; ++i) {
    write("p" + std::to_string(i) + ".sma", "public plugin_init() {}\n//" + std::to_string(i) +
                                                "\nstock f() { new a[64]; " + named + "}\n");
  }
  const std::uint64_t before = memory("VmRSS");
  const ScannedPlugins plugins = read({}, kAlways);
  BOOST_TEST_REQUIRE(plugins.size() == static_cast<std::size_t>(kPlugins));
  for (const ScannedPlugin& each : plugins) BOOST_TEST(each.files.size() == kFiles + 1U);
  BOOST_TEST(memory("VmHWM") < before + kMost);

  const domain::PluginVersion whole = plugins.front().whole();
  BOOST_TEST_REQUIRE(whole.files.size() == kFiles + 1U);
  BOOST_TEST(whole.files[0].is_primary);
  BOOST_TEST(whole.files[0].install_dir == "addons/amxmodx/scripting");
  BOOST_TEST(whole.files[1].content.starts_with(whole.files[1].filename));
  BOOST_TEST(whole.files[1].install_dir == "addons/amxmodx/configs");
}

BOOST_AUTO_TEST_CASE(a_text_is_asked_about_once) {
  write("own.inc", "stock own() { return 1; }\nnew const PASSWORD[] = \"hunter2\"\n");
  for (const char* name : {"a", "b"}) {
    write(std::string(name) + ".sma",
          "#include \"own.inc\"\npublic plugin_init() register_plugin(\"" + std::string(name) +
              "\", \"1\", \"me\")\n");
  }
  write("c.sma", "public plugin_init() register_plugin(\"c\", \"1\", \"me\")\n");
  std::map<std::string, std::size_t> questions;
  const pawn::TextReader texts([&](const pawn::TextQuestion& question) {
    ++questions[std::string(question[0]) + ' ' + std::string(question[1])];
    return pawn::answer(question);
  });
  const ScannedPlugins plugins = read({}, kAlways, texts);
  BOOST_TEST_REQUIRE(plugins.size() == 3U);
  std::map<std::string, std::size_t> kinds;
  for (const auto& [question, times] : questions) {
    BOOST_TEST(times == 1U, question);
    ++kinds[question.substr(0, question.find(' '))];
  }
  // The sources that include something are read with that, too.
  BOOST_TEST(kinds["source"] == 3U);
  BOOST_TEST(kinds["facts"] == 2U);
  BOOST_TEST(kinds["text"] == 1U);
  BOOST_TEST(kinds.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_file_that_has_changed_since_is_not_taken_for_what_was_scanned) {
  write("a.sma", "public plugin_init() {}\n");
  const ScannedPlugins plugins = read({}, kAlways);
  BOOST_TEST_REQUIRE(plugins.size() == 1U);
  BOOST_TEST(plugins.front().whole().files.size() == 1U);
  write("a.sma", "public plugin_init() { server_cmd(\"x\"); }\n");
  BOOST_CHECK_EXCEPTION(plugins.front().whole(), base::FileError, [](const base::FileError& error) {
    return error.reason() == "has changed since it was read first";
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
