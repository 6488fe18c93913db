// How people are told what a component needs (decision S3).
#include "app/creator/requirements.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace requirements {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

Texts needs(const domain::Catalog& catalog, std::string_view slug) {
  const domain::Component& component = *catalog.find(slug);
  Texts texts;
  for (const Requirement& each : requirements_of({&component, component.latest()}, catalog)) {
    texts.push_back(in_words(each).english());
  }
  return texts;
}

domain::Component mirrored(A component) { return component.version("1.0"); }

}  // namespace
}  // namespace requirements

BOOST_AUTO_TEST_SUITE(requirements)

BOOST_AUTO_TEST_CASE(what_is_accepted_is_told_once) {
  const auto catalog =
      catalog_of({mirrored(A("api", Layer::module)
                               .needs("p10", "A platform.")
                               .needs("game", "Its interface.")
                               .needs("game", "Newer.")
                               .about(">=5.28.0.756")
                               .clashes_with("stock")),
                  mirrored(A("p10", Layer::amxmodx, 1).named("AMX Mod X 1.10").needs("m1")),
                  mirrored(A("p9", Layer::amxmodx, 2).named("AMX Mod X 1.9")),
                  mirrored(A("game", Layer::gamedll).named("ReGameDLL_CS")),
                  mirrored(A("stock", Layer::gamedll).named("Stock")),
                  mirrored(A("m1", Layer::metamod, 1).named("Metamod-r")),
                  mirrored(A("m2", Layer::metamod, 2).named("Metamod-P")),
                  mirrored(A("m3", Layer::metamod, 3).named("Metamod-am"))});
  BOOST_TEST((needs(catalog, "api") ==
              Texts{"AMX Mod X 1.9 or 1.10", "ReGameDLL_CS 5.28.0.756 or newer"}));
  BOOST_TEST((needs(catalog, "p10") == Texts{"Metamod-r, Metamod-P or Metamod-am"}));
}

BOOST_AUTO_TEST_CASE(what_is_not_available_or_conflicts_in_all_versions_is_not_accepted) {
  const auto catalog = catalog_of(
      {mirrored(A("a", Layer::module).needs("one").clashes_with("two")), A("one", Layer::engine),
       mirrored(A("two", Layer::engine)), A("three", Layer::engine),
       mirrored(A("four", Layer::engine).never_a_choice()), mirrored(A("five", Layer::engine)),
       mirrored(A("six", Layer::engine).clashes_with("a"))});
  BOOST_TEST((needs(catalog, "a") == Texts{"one or five"}));
}

BOOST_AUTO_TEST_CASE(a_conflict_with_some_versions_leaves_a_component_accepted) {
  const auto catalog = catalog_of(
      {mirrored(A("a", Layer::module).needs("one").clashes_with("two").about("<2.0")),
       mirrored(A("one", Layer::engine)),
       A("two", Layer::engine).version("2.0", "2024-02-01 00:00:00"_utc).version("1.0")});
  BOOST_TEST((needs(catalog, "a") == Texts{"one or two"}));
}

BOOST_AUTO_TEST_CASE(names_of_a_family_are_shortened_and_stand_in_order) {
  const auto catalog = catalog_of({mirrored(A("a", Layer::module).needs("e10")),
                                   mirrored(A("e10", Layer::engine, 1).named("Engine X 10")),
                                   mirrored(A("other", Layer::engine, 2).named("Other 2 Go")),
                                   mirrored(A("e2", Layer::engine, 3).named("Engine X 2")),
                                   mirrored(A("e9", Layer::engine, 4).named("Engine X 9"))});
  BOOST_TEST((needs(catalog, "a") == Texts{"Engine X 2, 9, 10 or Other 2 Go"}));
}

BOOST_AUTO_TEST_CASE(ranges_are_told_in_words) {
  const auto told = [](std::string_view range) {
    return domain::VersionRange::parse(range).value().in_words("X").english();
  };
  BOOST_TEST(told("") == "X");
  BOOST_TEST(told("=2.0") == "X 2.0");
  BOOST_TEST(told(">=2.0") == "X 2.0 or newer");
  BOOST_TEST(told(">2.0") == "X after 2.0");
  BOOST_TEST(told("<=2.0") == "X 2.0 or older");
  BOOST_TEST(told("<2.0") == "X before 2.0");
  BOOST_TEST(told(">=2.0 <=3.0") == "X 2.0 to 3.0");
  BOOST_TEST(told(">=2.0 <3.0") == "X 2.0 or newer, before 3.0");
  BOOST_TEST(told(">2.0 <=3.0") == "X after 2.0, up to 3.0");
  BOOST_TEST(told(">2.0 <3.0") == "X after 2.0 and before 3.0");
  BOOST_TEST(told(">=1.9 >=1.10 >=1.2") == "X 1.10 or newer");
  BOOST_TEST(told("<=1.10 <1.10 <3") == "X before 1.10");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
