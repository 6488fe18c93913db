#include "handlers/pages/creator_choice.hpp"

#include <boost/test/unit_test.hpp>

#include "handlers/pages/creator_choice.hpp"

using namespace goldsmith;
using namespace goldsmith::handlers::pages;

namespace {

using Kind = web::Parameter::Kind;
constexpr std::array<web::Parameter, 6> kParameters{{{"components", Kind::list},
                                                     {"pin", Kind::list},
                                                     {"plugins", Kind::list},
                                                     {"order"},
                                                     {"cfg"},
                                                     {"optimized", Kind::flag}}};

std::string named(std::string_view slug) { return "The " + std::string(slug); }

domain::Component component(domain::Slug slug, domain::Layer layer, bool is_default,
                            const std::vector<domain::Version>& versions) {
  domain::Component made;
  made.slug = slug;
  made.name = "Name of " + slug.str();
  made.layer = layer;
  made.is_default = is_default;
  for (const domain::Version& version : versions) {
    made.versions.emplace_back();
    made.versions.back().version = version;
  }
  return made;
}

domain::Catalog catalog() {
  using domain::Layer;
  std::vector<domain::Component> all{component("good-engine", Layer::engine, true, {"2.0", "1.0"}),
                                     component("old-engine", Layer::engine, false, {"1.0"}),
                                     component("gone-engine", Layer::engine, false, {}),
                                     component("loader", Layer::metamod, true, {"1.0"}),
                                     component("gone-bots", Layer::bots, false, {}),
                                     component("bots", Layer::bots, false, {"1.0"})};
  all[5].rules.push_back({domain::RuleKind::conflicts, "old-engine", "Too old for bots."});
  return domain::Catalog(std::move(all));
}

ReadChoice read(std::string_view query, const domain::Catalog& all = catalog()) {
  return read_choice(web::Query(query, kParameters, web::Query::Repeated::joined), all);
}

std::string url_of(std::string_view query) { return choice_url(read(query).choice); }

}  // namespace

BOOST_AUTO_TEST_SUITE(creator_choice)

BOOST_AUTO_TEST_CASE(what_loads_first_is_kept_for_chosen_plugins) {
  BOOST_TEST(url_of("plugins=a,b&order=b,gone,b") == "/server?plugins=a,b&order=b");
  const Choice choice = read("plugins=a,b&order=b,a").choice;
  BOOST_TEST(choice_url(without_plugin(choice, "b")) == "/server?plugins=a&order=a");
  BOOST_TEST(choice_url(with_order(choice, {})) == "/server?plugins=a,b");
}

BOOST_AUTO_TEST_CASE(nothing_asked_for_is_the_recommended_server) {
  const ReadChoice found = read("");
  BOOST_TEST(found.choice.is_recommended);
  BOOST_TEST(found.choice.has("good-engine"));
  BOOST_TEST(found.choice.has("loader"));
  BOOST_TEST(choice_url(found.choice) == "/server");
  BOOST_TEST(!request_of(found.choice).components.has_value());
}

BOOST_AUTO_TEST_CASE(checkboxes_are_joined) {
  BOOST_TEST(url_of("components=%2C&components=loader&components=old-engine&optimized=1") ==
             "/server?components=loader,old-engine&optimized=1");
  BOOST_TEST(url_of("plugins=b&plugins=a") == "/server?plugins=a,b");
}

BOOST_AUTO_TEST_CASE(a_plugin_keeps_its_pin_until_it_is_taken_out) {
  const Choice choice = read("plugins=b@1.0&plugins=a").choice;
  BOOST_TEST(choice_url(choice) == "/server?plugins=a,b@1.0");
  BOOST_TEST(choice.has_plugin("b"));
  BOOST_TEST(!choice.has_plugin("b@1.0"));
  BOOST_TEST(choice_url(without_plugin_pin(choice, "b")) == "/server?plugins=a,b");
  BOOST_TEST(choice_url(without_plugin(choice, "b")) == "/server?plugins=a");
}

BOOST_AUTO_TEST_CASE(a_plugin_is_added_once) {
  const Choice choice = read("plugins=b@1.0").choice;
  BOOST_TEST(choice_url(with_plugin(choice, "a")) == "/server?plugins=a,b@1.0");
  BOOST_TEST(choice_url(with_plugin(choice, "b")) == "/server?plugins=b@1.0");
}

BOOST_AUTO_TEST_CASE(a_server_begins_with_the_component_that_a_plugin_works_with) {
  const domain::Catalog all = catalog();
  BOOST_TEST(choice_url(server_with({"a"}, *all.find("good-engine"), all)) == "/server?plugins=a");
  BOOST_TEST(choice_url(server_with({"a", "b"}, *all.find("old-engine"), all)) ==
             "/server?components=loader,old-engine&plugins=a,b");
}

BOOST_AUTO_TEST_CASE(several_things_that_are_missing_are_one_box_with_each_in_it) {
  creator::InvalidSelection invalid;
  invalid.conflicts.push_back({"bots", "old-engine", base::Message("Too old for bots.")});
  invalid.missing_requires.push_back({"plugin:b", "plugin:a", base::Message("B needs A.")});
  invalid.missing_requires.push_back({"plugin:b", "plugin:c", base::Message("B needs C.")});
  invalid.missing_requires.push_back({"plugin:b", "nowhere", base::Message("B needs a wonder.")});
  invalid.missing_requires.push_back({"loader", "plugin:c", base::Message("Loader needs C.")});
  const json::Array problems = problems_of(invalid, read("plugins=b").choice, catalog(), named);
  BOOST_REQUIRE(problems.size() == 3U);
  BOOST_TEST(json::to_string(problems[0]).find("Too old for bots.") != std::string::npos);
  const json::Object& box = *problems[1].as_object();
  BOOST_TEST(*box.at("text").as_string() ==
             "What is chosen needs more that is not chosen: The a, The c.");
  BOOST_TEST(json::to_string(box.at("solutions")) ==
             R"([{"label":"Add all","url":"/server?plugins=a,b,c"}])");
  const json::Array& each = *box.at("each").as_array();
  BOOST_REQUIRE(each.size() == 3U);
  BOOST_TEST(json::to_string(each[1]).find(
                 R"("label":"Add the plugin The c","url":"/server?plugins=b,c")") !=
             std::string::npos);
  BOOST_TEST(json::to_string(each[2]).find("Loader needs C.") != std::string::npos);
  // What can't be added is no part of all.
  BOOST_TEST(json::to_string(problems[2]).find("B needs a wonder.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_added_with_what_that_lacks_in_turn) {
  creator::InvalidSelection invalid;
  invalid.missing_requires.push_back({"plugin:b", "plugin:a", base::Message("B needs A.")});
  std::vector<std::string> asked;
  const Lacking lacking = [&](const Choice& choice) -> std::vector<creator::MissingRequire> {
    asked.push_back(choice_url(choice));
    if (!choice.has_plugin("c")) {
      return {{"plugin:a", "plugin:c", base::Message("A needs C.")},
              {"plugin:a", "nowhere", base::Message("A needs a wonder.")}};
    }
    if (!choice.has("bots")) return {{"plugin:c", "bots", base::Message("C needs bots.")}};
    return {{"plugin:c", "nowhere", base::Message("C needs a wonder.")}};
  };
  const Choice choice = read("plugins=b&components=good-engine").choice;
  const json::Array problems = problems_of(invalid, choice, catalog(), named, lacking);
  BOOST_REQUIRE(problems.size() == 1U);
  const json::Object& box = *problems[0].as_object();
  BOOST_TEST(*box.at("text").as_string() ==
             "What is chosen needs more that is not chosen: Name of bots, The a, The c.");
  BOOST_TEST(json::to_string(box.at("solutions"))
                 .find(R"({"label":"Add all","url":"/server?components=bots,good-engine)"
                       R"(&plugins=a,b,c"})") != std::string::npos);
  BOOST_TEST(asked.size() == 3U);
  // One needs the next without end.
  const Lacking endless = [&](const Choice& more) -> std::vector<creator::MissingRequire> {
    asked.emplace_back();
    return {{"plugin:a", "plugin:x" + std::to_string(more.plugins.size()), {}}};
  };
  asked.clear();
  problems_of(invalid, choice, catalog(), named, endless);
  BOOST_TEST(asked.size() == 6U);
}

BOOST_AUTO_TEST_CASE(several_plugins_without_a_platform_are_one_box) {
  creator::InvalidSelection invalid;
  for (const char* plugin : {"plugin:a", "plugin:b", "plugin:c"}) {
    invalid.missing_requires.push_back(
        {plugin, "loader", base::Message("Plugins need a plugin platform.")});
  }
  const json::Array problems =
      problems_of(invalid, read("plugins=a,b,c&components=good-engine").choice, catalog(), named);
  BOOST_REQUIRE(problems.size() == 1U);
  const std::string text = json::to_string(problems[0]);
  BOOST_TEST(text.find("Add Name of loader") != std::string::npos);
  BOOST_TEST(text.find("Remove") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_does_as_well_is_added_where_what_is_missing_is_not_mirrored) {
  const domain::Catalog all = catalog();
  creator::InvalidSelection invalid;
  invalid.missing_requires.push_back({"loader",
                                      "gone-engine",
                                      base::Message("Loader needs an engine."),
                                      {},
                                      {{all.find("gone-bots")}, {all.find("old-engine")}}});
  const Choice choice = read("components=loader").choice;
  BOOST_TEST(
      json::to_string(*problems_of(invalid, choice, all, named)[0].as_object()) ==
      R"({"solutions":[{"label":"Add Name of old-engine","url":"/server?components=)"
      R"(loader,old-engine"},{"label":"Remove Name of loader","url":"/server?components=,"}],)"
      R"("text":"Loader needs an engine."})");
  invalid.missing_requires.push_back({"loader", "bots", base::Message("Loader needs bots.")});
  const json::Array problems = problems_of(invalid, choice, all, named);
  BOOST_REQUIRE(problems.size() == 1U);
  BOOST_TEST(json::to_string(problems[0])
                 .find(R"("label":"Add all","url":"/server?components=bots,loader,old-engine")") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_plugin_that_is_missing_is_added) {
  creator::InvalidSelection invalid;
  invalid.missing_requires.push_back({"plugin:b", "plugin:a", base::Message("B needs A.")});
  const std::string text =
      json::to_string(problems_of(invalid, read("plugins=b").choice, catalog(), named));
  BOOST_TEST(text.find(R"("label":"Add the plugin The a","url":"/server?plugins=a,b")") !=
             std::string::npos);
  BOOST_TEST(text.find(R"("label":"Remove the plugin The b","url":"/server")") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_recommended_components_have_the_address_of_the_recommended_server) {
  BOOST_TEST(url_of("components=loader&components=good-engine&optimized=1") ==
             "/server?optimized=1");
  BOOST_TEST(url_of("components=loader,good-engine@2.0") ==
             "/server?components=good-engine@2.0,loader");
}

BOOST_AUTO_TEST_CASE(a_form_without_a_component_is_an_empty_selection) {
  BOOST_TEST(url_of("components=%2C") == "/server?components=,");
  BOOST_TEST(read("components=%2C").choice.pins.empty());
}

BOOST_AUTO_TEST_CASE(a_version_counts_only_with_its_component) {
  BOOST_TEST(url_of("components=good-engine&pin=good-engine@1.0&pin=bots@1.0") ==
             "/server?components=good-engine@1.0");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_replaced_or_left_out_with_the_reason_of_the_api) {
  const ReadChoice found = read("components=good-engine@0.1,gone-bots,never-there");
  const std::vector<std::string> warnings{
      "Name of gone-bots is known but not available here yet. It was left out.",
      "Version 0.1 of Name of good-engine is not available here. The latest is 2.0. It is used "
      "instead.",
      "There is no component “never-there”. It was left out."};
  BOOST_TEST(found.warnings == warnings, boost::test_tools::per_element());
  BOOST_TEST(choice_url(found.choice) == "/server?components=good-engine");
  const ReadChoice engine = read("components=gone-engine,bots");
  BOOST_REQUIRE(engine.warnings.size() == 1U);
  BOOST_TEST(engine.warnings[0] ==
             "Name of gone-engine is known but not available here yet. Name of good-engine is used "
             "instead.");
  BOOST_TEST(choice_url(engine.choice) == "/server?components=bots,good-engine");
}

BOOST_AUTO_TEST_CASE(a_conflict_offers_what_solves_it) {
  const domain::Catalog all = catalog();
  const Choice choice = read("components=old-engine,bots").choice;
  creator::InvalidSelection invalid;
  invalid.conflicts.push_back({"bots", "old-engine", base::Message("Too old for bots.")});
  const json::Array problems = problems_of(invalid, choice, all, named);
  BOOST_REQUIRE(problems.size() == 1U);
  const std::string text = json::to_string(problems[0]);
  BOOST_TEST(text.find("Too old for bots.") != std::string::npos);
  BOOST_TEST(text.find(R"("label":"Use Name of good-engine instead of Name of old-engine",)"
                       R"("url":"/server?components=bots,good-engine")") != std::string::npos);
  BOOST_TEST(text.find(R"("url":"/server?components=old-engine")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_the_rest_solves_nothing) {
  creator::InvalidSelection invalid;
  invalid.conflicts.push_back({"bots", "good-engine", {}});
  const std::string text = json::to_string(
      problems_of(invalid, read("components=good-engine,bots").choice, catalog(), named));
  BOOST_TEST(text.find("instead of Name of good-engine") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_reason_stands_beside_what_would_not_work) {
  const domain::Catalog all = catalog();
  const Choice choice = read("components=old-engine").choice;
  BOOST_TEST(obstacle_of(*all.find("bots"), choice, all) == "Too old for bots.");
  BOOST_TEST(obstacle_of(*all.find("loader"), choice, all).empty());
}

BOOST_AUTO_TEST_CASE(rules_are_those_of_the_version) {
  std::vector<domain::Component> components{
      component("old", domain::Layer::module, false, {"2.0", "1.0"}),
      component("bots", domain::Layer::bots, false, {"1.0"})};
  components[0].rules.push_back({domain::RuleKind::conflicts, "bots", "Too old.",
                                 domain::VersionRange::parse("<2.0").value()});
  const domain::Catalog all(std::move(components));
  const auto obstacle = [&](std::string_view query) {
    return obstacle_of(*all.find("bots"), read(query, all).choice, all);
  };
  BOOST_TEST(obstacle("components=old").empty());
  BOOST_TEST(obstacle("components=old@1.0") == "Too old.");
}

// Components that are particular about the version of "game".
domain::Catalog particular() {
  const auto range = [](std::string_view text) {
    return domain::VersionRange::parse(text).value();
  };
  using domain::Layer;
  using domain::RuleKind;
  std::vector<domain::Component> all{
      component("api", Layer::module, false, {"2.0", "1.0"}),
      component("game", Layer::gamedll, false, {"5.0", "4.0", "3.0", "2.0", "1.0"}),
      component("bots", Layer::bots, false, {"1.0"}),
      component("hermit", Layer::voice, false, {"1.0"})};
  all[0].rules = {{RuleKind::requires_, "game", "", range(">=2.0"), range(">=2.0")},
                  {RuleKind::conflicts, "game", "", range("<2.0"), range(">=2.0")}};
  all[2].rules = {{RuleKind::conflicts, "game", "", {}, range(">=4.0")},
                  {RuleKind::requires_, "game", "Needs a game.", {}, range("<4.0")}};
  all[3].rules = {{RuleKind::requires_, "game", "", {}, range(">=9.0")},
                  {RuleKind::conflicts, "api", ""}};
  return domain::Catalog(std::move(all));
}

std::string problems_at(std::string_view query) {
  const domain::Catalog all = particular();
  const Choice choice = read(query, all).choice;
  const auto result = creator::select(request_of(choice), all, {});
  return json::to_string(
      problems_of(std::get<creator::InvalidSelection>(result), choice, all, named));
}

BOOST_AUTO_TEST_CASE(the_newest_version_that_works_with_everything_is_offered) {
  BOOST_TEST(problems_at("components=api,bots,game@1.0") ==
             R"([{"solutions":[{"label":"Use Name of game 3.0",)"
             R"("url":"/server?components=api,bots,game@3.0"},)"
             R"({"label":"Use Name of api 1.0","url":"/server?components=api@1.0,bots,game@1.0"},)"
             R"({"label":"Remove Name of api","url":"/server?components=bots,game@1.0"}],)"
             R"("text":"Name of api 2.0 needs Name of game 2.0 or newer."}])");
  BOOST_TEST(problems_at("components=api,game@1.0").find("Use Name of game 5.0") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_conflict_of_versions_is_solved_by_others_of_either) {
  const std::string text = problems_at("components=api@1.0,game");
  BOOST_TEST(text.find(R"("label":"Use Name of game 1.0",)"
                       R"("url":"/server?components=api@1.0,game@1.0")") != std::string::npos);
  BOOST_TEST(text.find(R"("label":"Use Name of api 2.0",)"
                       R"("url":"/server?components=api@2.0,game")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_added_in_a_version_that_works) {
  const std::string newest = problems_at("components=api");
  BOOST_TEST(newest.find(R"("label":"Add Name of game","url":"/server?components=api,game")") !=
             std::string::npos);
  BOOST_TEST(newest.find("Use Name of game") == std::string::npos);
  const std::string older = problems_at("components=bots");
  BOOST_TEST(older.find(R"("label":"Use Name of game 3.0",)"
                        R"("url":"/server?components=bots,game@3.0")") != std::string::npos);
  BOOST_TEST(older.find("Add Name of game") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_version_is_offered_where_none_helps) {
  BOOST_TEST(problems_at("components=hermit,game") ==
             R"([{"solutions":[{"label":"Remove Name of hermit","url":"/server?components=game"}],)"
             R"("text":"Name of hermit 1.0 needs Name of game 9.0 or newer."}])");
  BOOST_TEST(problems_at("components=api,hermit,game").find("Use Name") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_component_needs_is_shown_with_its_versions) {
  const domain::Catalog all = particular();
  const auto form = json::to_string(creator_form(all, read("components=api", all).choice));
  BOOST_TEST(form.find(R"("needs":"Name of game 2.0 or newer")") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
