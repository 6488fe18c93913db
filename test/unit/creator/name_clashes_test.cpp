// Files that only Linux tells apart (decision S43).
#include "app/creator/name_clashes.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/message.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

struct Sound {
  std::string name;
  std::string content;
};

PluginOutcome with_sounds(const std::string& slug, const std::vector<Sound>& sounds) {
  std::vector<domain::PluginFile> files;
  for (const Sound& each : sounds) files.push_back(plugin_file("sound", each.name, each.content));
  return compiled(slug, slug, std::move(files));
}

// The notes of each plugin, and how many sounds the archive has.
std::pair<std::vector<std::vector<std::string>>, std::size_t> noted(
    std::vector<PluginOutcome> plugins) {
  const domain::Catalog catalog = catalog_of(usual_stack());
  const Plan plan = planned(parse_selection_request(std::nullopt, std::nullopt, false), catalog,
                            std::move(plugins));
  std::vector<std::vector<std::string>> notes;
  for (const RequestedPlugin& each : plan.requested) notes.push_back(base::english(each.notes));
  const auto sounds = std::ranges::count_if(
      plan.files, [](const PlannedFile& file) { return file.path.starts_with("cstrike/sound/"); });
  return {notes, static_cast<std::size_t>(sounds)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(names_that_only_linux_tells_apart)

BOOST_AUTO_TEST_CASE(letter_case_and_unicode_form_are_noted_of_the_later_plugin) {
  for (const auto& [one, other] : {std::pair<std::string, std::string>{"Hit.wav", "hit.wav"},
                                   {"caf\u00E9.wav", "cafe\u0301.wav"},
                                   {"ЗВУК.wav", "звук.wav"}}) {
    const auto [notes, sounds] =
        noted({with_sounds("a", {{one, "1"}}), with_sounds("b", {{other, "2"}})});
    BOOST_TEST(sounds == 2U);
    BOOST_TEST(notes.at(0).empty());
    BOOST_TEST(notes.at(1).at(0) ==
               "Plugin \"b\": Windows and macOS take its file cstrike/sound/" + other +
                   " (cstrike/sound/" + one +
                   ", plugin:a) for the other one, whose name differs in letter case or Unicode "
                   "form alone: unpack the archive on Linux, or one of the two is lost.");
  }
}

BOOST_AUTO_TEST_CASE(other_names_and_equal_content_are_not) {
  const auto [notes, sounds] =
      noted({with_sounds("a", {{"Hit.wav", "1"}, {"cafe.wav", "1"}}),
             with_sounds("b", {{"hit.wav", "1"}, {"caf\u00E9.wav", "2"}, {"hit2.wav", "3"}})});
  BOOST_TEST(sounds == 5U);
  BOOST_TEST(notes.at(0).empty());
  BOOST_TEST(notes.at(1).empty());
}

BOOST_AUTO_TEST_CASE(of_many_a_few_are_named) {
  std::vector<Sound> upper;
  std::vector<Sound> lower;
  for (int i = 0; i < 5; ++i) {
    upper.push_back({"HIT" + std::to_string(i) + ".wav", "1"});
    lower.push_back({"hit" + std::to_string(i) + ".wav", "2"});
  }
  const auto notes = noted({with_sounds("a", upper), with_sounds("b", lower)}).first;
  BOOST_TEST(notes.at(1).size() == 1U);
  BOOST_TEST(mentions(notes.at(1),
                      "cstrike/sound/hit2.wav (cstrike/sound/HIT2.wav, plugin:a) and 2 more"));
  BOOST_TEST(!mentions(notes.at(1), "hit3.wav"));
}

// A component's own files are its project's.
BOOST_AUTO_TEST_CASE(a_plugin_is_told_of_what_a_component_has) {
  const domain::Catalog catalog = catalog_of(
      usual_stack() +
      std::vector<domain::Component>{
          A("has-sound", domain::Layer::module, 100).by_default().with({"cstrike/sound/Hit.wav"})});
  const Plan plan = planned(parse_selection_request(std::nullopt, std::nullopt, false), catalog,
                            {with_sounds("a", {{"hit.wav", "1"}})});
  BOOST_TEST(mentions(plan.notes, "cstrike/sound/hit.wav (cstrike/sound/Hit.wav, has-sound)"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
