// The recommended server where not all of its components are here (decision S1b).
#include <boost/test/unit_test.hpp>

#include "app/creator/recommended.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace recommending {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

const SelectionRequest kRecommended = parse_selection_request(std::nullopt, std::nullopt, false);

Texts slugs_of(const Recommended& found) {
  Texts slugs;
  for (const domain::Component* each : found.components) slugs.push_back(each->slug.str());
  return slugs;
}

}  // namespace
}  // namespace recommending

BOOST_AUTO_TEST_SUITE(recommending)

BOOST_AUTO_TEST_CASE(the_next_of_an_exclusive_layer_stands_in_for_a_default_that_is_not_here) {
  const auto catalog = catalog_of({A("engine", Layer::engine, 10).by_default().version("1"),
                                   A("first", Layer::amxmodx, 20).version("1"),
                                   A("wanted", Layer::amxmodx, 30).named("Wanted").by_default(),
                                   A("hidden", Layer::amxmodx, 31).never_a_choice().version("1"),
                                   A("absent", Layer::amxmodx, 32),
                                   A("next", Layer::amxmodx, 40).named("Next").version("2"),
                                   A("after", Layer::amxmodx, 50).version("3")});
  const Recommended found = recommended(catalog);
  BOOST_TEST((slugs_of(found) == Texts{"engine", "next"}));
  BOOST_TEST((base::english(found.absences) ==
              Texts{"Wanted is known but not available here yet. Next is used instead."}));
  const Selection selection = valid(kRecommended, catalog);
  BOOST_TEST((spelled(selection) == Texts{"engine@1", "next@2"}));
  BOOST_TEST((base::english(component_notes(selection)) == base::english(found.absences)));
  BOOST_TEST(valid(asking("engine,next"), catalog).absences.empty());
}

BOOST_AUTO_TEST_CASE(after_the_last_of_a_layer_comes_the_first) {
  const auto catalog =
      catalog_of({A("one", Layer::engine, 1).version("1"), A("two", Layer::engine, 2).version("1"),
                  A("last", Layer::engine, 3).by_default()});
  BOOST_TEST((slugs_of(recommended(catalog)) == Texts{"one"}));
}

BOOST_AUTO_TEST_CASE(what_conflicts_with_the_others_does_not_stand_in) {
  const auto catalog =
      catalog_of({A("engine", Layer::engine, 1).by_default().version("1"),
                  A("wanted", Layer::metamod, 2).by_default(),
                  A("clashing", Layer::metamod, 3).clashes_with("engine").version("1"),
                  A("fitting", Layer::metamod, 4).version("1")});
  BOOST_TEST((slugs_of(recommended(catalog)) == Texts{"engine", "fitting"}));
}

BOOST_AUTO_TEST_CASE(a_default_without_a_stand_in_and_what_needs_it_are_left_out) {
  const auto catalog = catalog_of(
      {A("engine", Layer::engine, 1).by_default().version("1"),
       A("module", Layer::module, 2).named("Module").by_default(),
       A("other", Layer::module, 3).version("1"),
       A("needy", Layer::content, 4).named("Needy").by_default().needs("module").version("1"),
       A("needier", Layer::content, 5).named("Needier").by_default().needs("needy").version("1")});
  BOOST_TEST((spelled(valid(kRecommended, catalog)) == Texts{"engine@1"}));
  BOOST_TEST(
      (base::english(recommended(catalog).absences) ==
       Texts{"Module is known but not available here yet. It was left out.",
             "Needy needs Module. It was left out.", "Needier needs Needy. It was left out."}));
}

BOOST_AUTO_TEST_CASE(what_bundles_something_that_is_not_here_is_left_out) {
  const auto catalog =
      catalog_of({A("engine", Layer::engine, 1).by_default().version("1"),
                  A("bringer", Layer::content, 2).by_default().brings("brought").version("1"),
                  A("brought", Layer::content, 3).named("Brought")});
  BOOST_TEST((spelled(valid(kRecommended, catalog)) == Texts{"engine@1"}));
  BOOST_TEST((base::english(recommended(catalog).absences) ==
              Texts{"Brought is part of this selection but not available here yet. It was left "
                    "out."}));
}

BOOST_AUTO_TEST_CASE(a_default_of_which_all_versions_are_held_is_not_here) {
  const auto catalog = catalog_of(
      {A("bad", Layer::engine, 1).by_default().has_defect("It breaks.", "1", "", true).version("1"),
       A("good", Layer::engine, 2).version("1")});
  BOOST_TEST((slugs_of(recommended(catalog)) == Texts{"good"}));
}

BOOST_AUTO_TEST_CASE(where_nothing_is_here_each_default_is_named_as_missing) {
  const auto catalog = catalog_of(
      {A("engine", Layer::engine, 1).by_default(), A("game", Layer::gamedll, 2).by_default()});
  BOOST_TEST(recommended(catalog).components.empty());
  BOOST_TEST(invalid(kRecommended, catalog).unavailable.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
