#include "handlers/pages/creator_choice.hpp"

#include <boost/test/unit_test.hpp>

#include "handlers/pages/creator_problems.hpp"

using namespace goldsmith;
using namespace goldsmith::handlers::pages;

namespace {

constexpr std::array<std::string_view, 3> kLists{"components", "pin", "plugins"};

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

ReadChoice read(std::string_view query) {
  return read_choice(http::Query::parse(query, kLists), catalog());
}

std::string url_of(std::string_view query) { return choice_url(read(query).choice); }

}  // namespace

BOOST_AUTO_TEST_SUITE(creator_choice)

BOOST_AUTO_TEST_CASE(nothing_asked_for_is_the_recommended_server) {
  const ReadChoice found = read("");
  BOOST_TEST(found.choice.is_recommended);
  BOOST_TEST(found.choice.has("good-engine"));
  BOOST_TEST(found.choice.has("loader"));
  BOOST_TEST(choice_url(found.choice) == "/server");
  BOOST_TEST(!request_of(found.choice).components.has_value());
}

BOOST_AUTO_TEST_CASE(checkboxes_are_joined) {
  BOOST_TEST(url_of("components=%2C&components=loader&components=good-engine&optimized=1") ==
             "/server?components=good-engine,loader&optimized=1");
  BOOST_TEST(url_of("plugins=b&plugins=a") == "/server?plugins=a,b");
}

BOOST_AUTO_TEST_CASE(a_form_without_a_component_is_an_empty_selection) {
  BOOST_TEST(url_of("components=%2C") == "/server?components=,");
  BOOST_TEST(read("components=%2C").choice.pins.empty());
}

BOOST_AUTO_TEST_CASE(a_version_counts_only_with_its_component) {
  BOOST_TEST(url_of("components=good-engine&pin=good-engine@1.0&pin=bots@1.0") ==
             "/server?components=good-engine@1.0");
}

BOOST_AUTO_TEST_CASE(what_has_vanished_is_replaced_or_left_out_with_a_warning) {
  const ReadChoice found = read("components=good-engine@0.1,gone-bots,never-there");
  BOOST_TEST(found.warnings.size() == 3U);
  BOOST_TEST(choice_url(found.choice) == "/server?components=good-engine");
  const ReadChoice engine = read("components=gone-engine,loader");
  BOOST_TEST(engine.warnings.size() == 1U);
  BOOST_TEST(choice_url(engine.choice) == "/server?components=good-engine,loader");
}

BOOST_AUTO_TEST_CASE(a_conflict_offers_what_solves_it) {
  const domain::Catalog all = catalog();
  const Choice choice = read("components=old-engine,bots").choice;
  creator::InvalidSelection invalid;
  invalid.conflicts.push_back({"bots", "old-engine", "Too old for bots."});
  const json::Array problems = problems_of(invalid, choice, all);
  BOOST_REQUIRE(problems.size() == 1U);
  const std::string text = json::to_string(problems[0]);
  BOOST_TEST(text.find("Too old for bots.") != std::string::npos);
  BOOST_TEST(text.find(R"("label":"Use Name of good-engine instead of Name of old-engine",)"
                       R"("url":"/server?components=bots,good-engine")") != std::string::npos);
  BOOST_TEST(text.find(R"("url":"/server?components=old-engine")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_reason_stands_beside_what_would_not_work) {
  const domain::Catalog all = catalog();
  const Choice choice = read("components=old-engine").choice;
  BOOST_TEST(obstacle_of(*all.find("bots"), choice, all) == "Too old for bots.");
  BOOST_TEST(obstacle_of(*all.find("loader"), choice, all).empty());
}

BOOST_AUTO_TEST_SUITE_END()
