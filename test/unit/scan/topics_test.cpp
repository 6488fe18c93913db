#include "app/scan/topics.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/domain/manifest.hpp"

using namespace goldsmith;

namespace {

using Names = std::vector<std::string>;

Names names_in(const json::Object& object, const char* field) {
  Names names;
  const auto found = object.find(field);
  if (found == object.end()) return names;
  for (const json::Value& each : *found->second.as_array()) names.push_back(*each.as_string());
  return names;
}

pawn::SourceFacts facts_of(const json::Object& plugin) {
  pawn::SourceFacts facts;
  facts.name = *plugin.at("name").as_string();
  facts.includes = names_in(plugin, "includes");
  facts.functions = names_in(plugin, "functions");
  facts.files = names_in(plugin, "files");
  for (const std::string& name : names_in(plugin, "commands")) {
    facts.commands.push_back({name, std::nullopt, ""});
  }
  for (const std::string& name : names_in(plugin, "cvars")) facts.cvars.push_back({name, "", ""});
  return facts;
}

Names tags_of(const scan::Topics& topics) {
  Names names;
  for (const scan::DerivedTag& each : topics.tags) names.push_back(each.tag);
  return names;
}

// How well what is derived agrees with what a person says.
struct Agreement {
  double plugins = 0;
  double categories = 0;  // that are right
  double right = 0;       // of the tags
  double wrong = 0;
  double missed = 0;

  double accuracy() const { return categories / plugins; }
  double precision() const { return right / (right + wrong); }
  double recall() const { return right / (right + missed); }

  void add(const json::Object& plugin, const scan::Topics& topics) {
    const std::string category = topics.category.empty() ? "general" : topics.category.str();
    const Names wanted = names_in(plugin, "tags");
    const Names found = tags_of(topics);
    const auto shared =
        static_cast<double>(std::count_if(found.begin(), found.end(), [&](const std::string& tag) {
          return std::count(wanted.begin(), wanted.end(), tag) > 0;
        }));
    plugins += 1;
    categories += category == *plugin.at("category").as_string() ? 1 : 0;
    right += shared;
    wrong += static_cast<double>(found.size()) - shared;
    missed += static_cast<double>(wanted.size()) - shared;
  }
};

scan::TopicTable default_table() {
  return scan::TopicTable(GOLDSMITH_SOURCE_DIR "/db/catalog/topics.json");
}

struct Table {
  const base::TempDir folder{std::filesystem::temp_directory_path()};

  scan::TopicTable table(const std::string& topics, const std::string& least = "6") const {
    const auto file = folder.path() / "topics.json";
    base::write_atomically(file,
                           R"({"least_points": )" + least + R"(, "topics": [)" + topics + "]}");
    return scan::TopicTable(file);
  }

  std::string problem(const std::string& topics, const std::string& least = "6") const try {
    table(topics, least);
    return "";
  } catch (const domain::ManifestError& failure) {
    return std::string(failure.what()).substr((folder.path() / "topics.json").string().size());
  }
};

pawn::SourceFacts named(const std::string& name) {
  pawn::SourceFacts facts;
  facts.name = name;
  return facts;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(topics, Table)

// Names, functions that the table or few plugins have, and what a person takes each plugin for.
// Those that are held out were labelled when the table was finished, and changed nothing of it.
BOOST_AUTO_TEST_CASE(most_plugins_get_the_category_and_tags_that_a_person_gives_them) {
  const scan::TopicTable table = default_table();
  const json::Value plugins =
      json::parse(base::read_file(GOLDSMITH_SOURCE_DIR "/test/unit/scan/labelled_plugins.json"));
  Agreement known;
  Agreement held_out;
  for (const json::Value& each : *plugins.as_array()) {
    const json::Object& plugin = *each.as_object();
    Agreement& agreement = plugin.contains("held_out") ? held_out : known;
    agreement.add(plugin, table.topics_of(facts_of(plugin), "", *plugin.at("file").as_string()));
  }
  BOOST_TEST_MESSAGE("known: categories " << known.accuracy() << ", tags " << known.precision()
                                          << " and " << known.recall()
                                          << "; held out: " << held_out.accuracy() << ", "
                                          << held_out.precision() << " and " << held_out.recall());
  BOOST_TEST(known.plugins == 150);
  BOOST_TEST(known.accuracy() >= 0.88);
  BOOST_TEST(known.precision() >= 0.88);
  BOOST_TEST(known.recall() >= 0.88);
  BOOST_TEST(held_out.plugins == 50);
  BOOST_TEST(held_out.accuracy() >= 0.78);
  BOOST_TEST(held_out.precision() >= 0.88);
  BOOST_TEST(held_out.recall() >= 0.88);
}

BOOST_AUTO_TEST_CASE(tags_of_the_default_table_are_told_apart) {
  const std::string text = base::read_file(GOLDSMITH_SOURCE_DIR "/db/catalog/topics.json");
  const json::Value document = json::parse(text);
  std::set<std::string> tags;
  for (const json::Value& each : *document.as_object()->at("topics").as_array()) {
    const auto tag = each.as_object()->find("tag");
    if (tag == each.as_object()->end()) continue;
    BOOST_TEST(tags.insert(*tag->second.as_string()).second, *tag->second.as_string());
  }
}

BOOST_AUTO_TEST_CASE(the_strongest_of_each_kind_counts_and_is_named) {
  const scan::TopicTable zombies = table(R"(
    {"tag": "zombie plague", "category": "zombie", "implies": ["zombie"], "game_mode": "ZP",
     "words": [{"points": 3, "any": ["zp", "zombie plague"]}, {"points": 2, "any": ["plague"]}],
     "functions": [{"points": 1, "any": ["zp_get_*"]}, {"points": 4, "any": ["zp_*"]}]})");
  pawn::SourceFacts facts = named("[ZP] Plague");
  BOOST_TEST(zombies.topics_of(facts, "", "a.sma").tags.empty());
  facts.functions = {"ZP_get_user", "zp_register"};
  const scan::Topics topics = zombies.topics_of(facts, "", "a.sma");
  BOOST_TEST(topics.category.view() == "zombie");
  BOOST_TEST(tags_of(topics) == (Names{"zombie plague", "zombie"}),
             boost::test_tools::per_element());
  BOOST_TEST(topics.tags[0].points == 7);
  BOOST_TEST(topics.tags[0].from == (Names{R"(name "zp")", R"(function "zp_get_user")"}),
             boost::test_tools::per_element());
  BOOST_TEST(topics.tags[1].from == (Names{R"(tag "zombie plague")"}),
             boost::test_tools::per_element());
  BOOST_TEST(topics.game_modes == (Names{"ZP"}), boost::test_tools::per_element());
  BOOST_TEST(topics.category_from == topics.tags[0].from, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(words_are_those_of_the_name_and_the_file_and_half_of_the_summary) {
  const scan::TopicTable jails =
      table(R"({"tag": "jail", "words": [{"points": 6, "any": ["jail*", "last request"]}]})");
  const auto is_told = [&](const std::string& name, const std::string& summary,
                           const std::string& file) {
    return !jails.topics_of(named(name), summary, file).tags.empty();
  };
  BOOST_TEST(is_told("JailMedic", "", "a.sma"));
  BOOST_TEST(is_told("", "", "my_jail.sma"));
  BOOST_TEST(is_told("LastRequest", "", "a.sma"));
  BOOST_TEST(is_told("Last-Request", "", "a.sma"));
  BOOST_TEST(!is_told("Last", "", "request.sma"));
  BOOST_TEST(!is_told("Ajail", "", "a.sma"));
  BOOST_TEST(!is_told("", "A jail", "a.sma"));
  const scan::TopicTable lax =
      table(R"({"tag": "jail", "words": [{"points": 6, "any": ["jail"]}]})", "3");
  BOOST_TEST(
      lax.topics_of(named(""), "A jail", "a.sma").tags[0].from == (Names{R"(summary "jail")"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(commands_includes_cvars_and_files_are_compared_without_what_varies) {
  const auto told_by = [&](const std::string& field, const std::string& pattern,
                           const pawn::SourceFacts& facts) {
    return !table(R"({"tag": "x", ")" + field + R"(": [{"points": 6, "any": [")" + pattern +
                  R"("]}]})")
                .topics_of(facts, "", "a.sma")
                .tags.empty();
  };
  pawn::SourceFacts facts;
  facts.commands = {{"say /VIP", std::nullopt, ""}, {"+hook", std::nullopt, ""}};
  facts.includes = {"sub/Zombie.inc"};
  facts.cvars = {{"AMX_Vote_time", "", ""}};
  facts.files = {"models/player/Hero/hero.mdl"};
  BOOST_TEST(told_by("commands", "vip", facts));
  BOOST_TEST(told_by("commands", "hook", facts));
  BOOST_TEST(!told_by("commands", "say", facts));
  BOOST_TEST(told_by("includes", "zombie", facts));
  BOOST_TEST(told_by("cvars", "*vote*", facts));
  BOOST_TEST(!told_by("cvars", "vote", facts));
  BOOST_TEST(told_by("files", "models/player/**", facts));
  BOOST_TEST(told_by("files", "*.mdl", facts));
  facts.cvars = {{"dr_enabled", "", ""}};
  BOOST_TEST(told_by("cvars", "dr_*", facts));
  facts.name = "Disconnect Reason";
  BOOST_TEST(!told_by("cvars", "dr_*", facts));
}

BOOST_AUTO_TEST_CASE(the_category_is_that_of_the_most_points_and_may_have_no_tag) {
  const scan::TopicTable both = table(R"(
    {"tag": "vip", "category": "vip", "words": [{"points": 7, "any": ["vip"]}]},
    {"category": "gameplay", "words": [{"points": 8, "any": ["mode"]}]},
    {"tag": "hud", "words": [{"points": 9, "any": ["hud"]}]})");
  const scan::Topics topics = both.topics_of(named("VIP mode HUD"), "", "a.sma");
  BOOST_TEST(topics.category.view() == "gameplay");
  BOOST_TEST(topics.category_from == (Names{R"(name "mode")"}), boost::test_tools::per_element());
  BOOST_TEST(tags_of(topics) == (Names{"hud", "vip"}), boost::test_tools::per_element());
  BOOST_TEST(both.topics_of(named("x"), "", "a.sma").category.empty());
}

BOOST_AUTO_TEST_CASE(a_name_alone_makes_no_plugin_for_a_game_mode) {
  const scan::TopicTable modes = table(R"({"tag": "jail", "game_mode": "JailBreak",
    "words": [{"points": 6, "any": ["jail"]}], "includes": [{"points": 1, "any": ["jail"]}]})");
  pawn::SourceFacts facts = named("Jail");
  BOOST_TEST(tags_of(modes.topics_of(facts, "", "a.sma")) == (Names{"jail"}),
             boost::test_tools::per_element());
  BOOST_TEST(modes.topics_of(facts, "", "a.sma").game_modes.empty());
  facts.includes = {"jail"};
  BOOST_TEST(modes.topics_of(facts, "", "a.sma").game_modes == (Names{"JailBreak"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_table_with_a_mistake_is_refused_where_it_is) {
  BOOST_TEST(problem("", "0") == ": least_points: 0 is out of bounds; allowed are 1 to 1000");
  BOOST_TEST(problem(R"({"words": []})") == ": topics[0].tag: missing; this field is mandatory");
  BOOST_TEST(problem(R"({"tag": "a,b"})") ==
             ": topics[0].tag: \"a,b\" holds a comma, which no tag may");
  BOOST_TEST(problem(R"({"tag": "a", "word": []})") ==
             ": topics[0].word: unknown field; did you mean \"words\"?");
  BOOST_TEST(problem(R"({"tag": "a", "words": [{"points": 0, "any": []}]})") ==
             ": topics[0].words[0].points: 0 is out of bounds; allowed are 1 to 1000");
  BOOST_TEST(problem(R"({"tag": "a", "words": [{"points": 1, "any": ["A"]}]})") ==
             ": topics[0].words[0].any[0]: \"A\" holds a capital letter; write small ones");
  BOOST_TEST(problem(R"({"tag": "a", "words": [{"points": 1, "any": ["a", "logs?"]}]})") ==
             ": topics[0].words[0].any[1]: \"logs?\" holds \"?\", which stands for no letter");
  BOOST_TEST(problem(R"({"tag": "a", "category": "A"})").starts_with(": topics[0].category: "));
}

BOOST_AUTO_TEST_SUITE_END()
