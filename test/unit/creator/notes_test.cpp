// Remarks that never block (decision S11).
#include "app/creator/plan.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

Texts notes(std::string_view components, const domain::Catalog& catalog) {
  return base::english(component_notes(valid(asking(components), catalog)));
}
Texts advice(std::string_view components, const domain::Catalog& catalog) {
  return base::english(component_advice(valid(asking(components), catalog)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(component_remarks)

BOOST_AUTO_TEST_CASE(a_recommendation_that_is_not_selected_is_a_note) {
  const auto catalog =
      catalog_of({A("a", Layer::module).named("Alpha").likes("b", "less lag.").version("1"),
                  A("b", Layer::module).version("1")});
  BOOST_TEST((notes("a", catalog) == Texts{"Alpha works better with b: less lag."}));
  BOOST_TEST(notes("a,b", catalog).empty());
}

BOOST_AUTO_TEST_CASE(a_recommendation_is_met_only_by_its_slug_not_by_its_layer) {
  const auto catalog = catalog_of({A("a", Layer::module).likes("e1").version("1"),
                                   A("e1", Layer::engine), A("e2", Layer::engine).version("1")});
  BOOST_TEST((notes("a,e2", catalog) == Texts{"a works better with e1."}));
}

BOOST_AUTO_TEST_CASE(a_recommendation_is_met_by_a_bundled_component) {
  const auto catalog = catalog_of({A("a", Layer::module).likes("b").brings("b").version("1"),
                                   A("b", Layer::module).version("1")});
  BOOST_TEST(notes("a", catalog).empty());
}

BOOST_AUTO_TEST_CASE(a_recommendation_that_is_listed_twice_is_noted_once) {
  const auto catalog = catalog_of({A("a", Layer::module).likes("b").likes("b").version("1"),
                                   A("b", Layer::module).version("1")});
  BOOST_TEST(notes("a", catalog).size() == 1U);
}

BOOST_AUTO_TEST_CASE(advice_is_apart_verbatim_and_in_load_order) {
  const auto catalog =
      catalog_of({A("a", Layer::module, 2).advises("Second.").likes("c").version("1"),
                  A("b", Layer::module, 1).advises("First.").advises("Also.").version("1"),
                  A("c", Layer::module, 3).advises("Never.").version("1")});
  BOOST_TEST((notes("a,b", catalog) == Texts{"a works better with c."}));
  BOOST_TEST((advice("a,b", catalog) == Texts{"First.", "Also.", "Second."}));
}

BOOST_AUTO_TEST_CASE(remarks_are_those_of_the_selected_version) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .advises("Old.")
                                       .advice_in("<1.10")
                                       .advises("New.")
                                       .advice_in(">=1.10")
                                       .advises("All.")
                                       .likes("b")
                                       .rule_in("<1.10")
                                       .version("1.10", "2024-02-01 00:00:00"_utc)
                                       .version("1.9"),
                                   A("b", Layer::module).version("1")});
  BOOST_TEST((advice("a", catalog) == Texts{"New.", "All."}));
  BOOST_TEST(notes("a", catalog).empty());
  BOOST_TEST((advice("a@1.9", catalog) == Texts{"Old.", "All."}));
  BOOST_TEST((notes("a@1.9", catalog) == Texts{"a works better with b."}));
}

BOOST_AUTO_TEST_CASE(a_recommendation_of_some_versions_is_met_by_no_other) {
  const auto catalog =
      catalog_of({A("a", Layer::module).likes("b", "less lag.").about(">=2").version("1"),
                  A("b", Layer::module).version("2", "2024-02-01 00:00:00"_utc).version("1")});
  const Texts better{"a works better with b 2 or newer: less lag."};
  BOOST_TEST((notes("a", catalog) == better));
  BOOST_TEST((notes("a,b@1", catalog) == better));
  BOOST_TEST(notes("a,b", catalog).empty());
}

BOOST_AUTO_TEST_CASE(a_defect_is_advice_of_the_versions_that_have_it) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .named("Alpha")
                                       .has_defect("It forgets.", "1.9", "1.11")
                                       .advises("All.")
                                       .version("1.11", "2024-04-01 00:00:00"_utc)
                                       .version("1.10", "2024-03-01 00:00:00"_utc)
                                       .version("1.8")});
  BOOST_TEST((advice("a", catalog) == Texts{"All."}));
  BOOST_TEST((advice("a@1.10", catalog) ==
              Texts{"Alpha 1.10: It forgets. 1.11 is without it: https://example.org/a", "All."}));
  BOOST_TEST((advice("a@1.8", catalog) == Texts{"All."}));
  BOOST_TEST(notes("a@1.10", catalog).empty());
}

BOOST_AUTO_TEST_CASE(a_defect_that_holds_makes_another_version_the_latest_and_is_said_once) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .named("Alpha")
                                       .has_defect("It crashes.", "1.9", "", true)
                                       .version("1.10", "2024-03-01 00:00:00"_utc)
                                       .version("1.8")});
  BOOST_TEST(catalog.find("a")->latest()->version == "1.8");
  BOOST_TEST(
      (notes("a@1.10", catalog) ==
       Texts{"Alpha 1.10 is held here, and 1.8 is the latest: It crashes. No release without "
             "it is known: https://example.org/a"}));
  BOOST_TEST(advice("a@1.10", catalog).empty());
}

BOOST_AUTO_TEST_CASE(what_was_released_by_hand_is_not_held_but_its_defect_is_told) {
  domain::Component component = A("a", Layer::module)
                                    .has_defect("It crashes.", "1.9", "", true)
                                    .version("1.10", "2024-03-01 00:00:00"_utc)
                                    .version("1.8");
  component.versions.front().is_released = true;
  const domain::Catalog catalog({component});
  BOOST_TEST(catalog.find("a")->latest()->version == "1.10");
  BOOST_TEST(notes("a", catalog).empty());
  BOOST_TEST((advice("a", catalog) ==
              Texts{"a 1.10: It crashes. No release without it is known: https://example.org/a"}));
}

BOOST_AUTO_TEST_CASE(the_reason_of_the_operator_counts_more_than_that_of_a_defect) {
  domain::Component component =
      A("a", Layer::module).has_defect("It crashes.", "1", "", true).version("1.10");
  component.versions.front().held = domain::Hold{"Not for us.", {}};
  const domain::Catalog catalog({component});
  BOOST_TEST((notes("a@1.10", catalog) == Texts{"a 1.10 is held here: Not for us."}));
  BOOST_TEST((advice("a@1.10", catalog).size() == 1U));
}

BOOST_AUTO_TEST_CASE(a_plain_stack_has_no_notes) {
  BOOST_TEST(notes("", catalog_of(usual_stack())).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
