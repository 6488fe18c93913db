// The components and versions of a request (decisions S1, S1a, S2, S4).
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace selecting {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

const SelectionRequest kRecommended = parse_selection_request(std::nullopt, std::nullopt, false);

Texts unavailable_slugs(const InvalidSelection& report) {
  Texts slugs;
  for (const Unavailable& each : report.unavailable) slugs.push_back(each.component);
  return slugs;
}

}  // namespace
}  // namespace selecting

BOOST_AUTO_TEST_SUITE(selecting)

BOOST_AUTO_TEST_CASE(the_recommended_stack_is_every_default_component_at_its_latest_version) {
  const auto catalog = catalog_of(
      usual_stack() + std::vector<domain::Component>{A("extra", Layer::module, 5).version("1")});
  BOOST_TEST((spelled(valid(kRecommended, catalog)) ==
              Texts{"engine@1.0", "game@1.0", "loader@1.0", "platform@1.0"}));
}

BOOST_AUTO_TEST_CASE(load_order_is_sort_order_then_slug) {
  const auto catalog =
      catalog_of({A("c", Layer::module, 1).version("1"), A("b", Layer::module, 1).version("1"),
                  A("a", Layer::module, 2).version("1")});
  BOOST_TEST((spelled(valid(asking("a,b,c"), catalog)) == Texts{"b@1", "c@1", "a@1"}));
}

BOOST_AUTO_TEST_CASE(an_unpinned_component_has_its_latest_release) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .version("2.0", "2024-01-01 00:00:00"_utc)
                                       .version("1.9", "2024-02-01 00:00:00"_utc)});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1.9"}));
}

BOOST_AUTO_TEST_CASE(of_releases_at_the_same_time_the_later_version_in_their_order_is_the_latest) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1.9").version("1.10")});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1.10"}));
}

BOOST_AUTO_TEST_CASE(a_pinned_token_beats_an_unpinned_one) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1").version("2")});
  BOOST_TEST((spelled(valid(asking("a@1,a"), catalog)) == Texts{"a@1"}));
  BOOST_TEST((spelled(valid(asking("a,a@1,a@"), catalog)) == Texts{"a@1"}));
}

BOOST_AUTO_TEST_CASE(of_several_pins_the_newest_version_wins) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .version("3", "2024-01-01 00:00:00"_utc)
                                       .version("1", "2024-03-01 00:00:00"_utc)
                                       .version("2", "2024-02-01 00:00:00"_utc)});
  BOOST_TEST((spelled(valid(asking("a@2,a@3"), catalog)) == Texts{"a@2"}));
  BOOST_TEST((spelled(valid(asking("a@3,a@2"), catalog)) == Texts{"a@2"}));
  BOOST_TEST((spelled(valid(asking("a@3,a@1,a@2"), catalog)) == Texts{"a@1"}));
}

BOOST_AUTO_TEST_CASE(a_newer_pin_that_is_not_mirrored_is_not_replaced_by_an_older_one) {
  const auto catalog = catalog_of({A("a", Layer::module).version("2")});
  BOOST_TEST((unavailable_slugs(invalid(asking("a@2,a@10"), catalog)) == Texts{"a"}));
  BOOST_TEST((spelled(valid(asking("a@2,a@1"), catalog)) == Texts{"a@2"}));
}

BOOST_AUTO_TEST_CASE(a_slug_that_is_not_in_the_catalog_is_unknown_and_reported_without_its_pin) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1")});
  const InvalidSelection report = invalid(asking("zz@1,a,nope,zz@2"), catalog);
  BOOST_TEST((report.unknown == Texts{"nope", "zz"}));
  BOOST_TEST(report.unavailable.empty());
}

BOOST_AUTO_TEST_CASE(slugs_match_byte_for_byte) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1")});
  BOOST_TEST((invalid(asking("A"), catalog).unknown == Texts{"A"}));
}

BOOST_AUTO_TEST_CASE(a_component_that_was_never_mirrored_is_unavailable_with_its_name) {
  const auto catalog = catalog_of({A("a", Layer::module).named("Alpha")});
  const InvalidSelection report = invalid(asking("a@1"), catalog);
  BOOST_REQUIRE(report.unavailable.size() == 1U);
  BOOST_TEST(report.unavailable[0].component == "a");
  BOOST_TEST(report.unavailable[0].name == "Alpha");
  BOOST_TEST(report.unavailable[0].reason == "Alpha is known but not available here yet.");
  BOOST_TEST(report.unknown.empty());
}

BOOST_AUTO_TEST_CASE(a_pin_that_is_not_mirrored_is_unavailable_and_the_reason_names_the_latest) {
  const auto catalog = catalog_of({A("a", Layer::module).named("Alpha").version("1").version("2")});
  const InvalidSelection report = invalid(asking("a@9"), catalog);
  BOOST_REQUIRE(report.unavailable.size() == 1U);
  BOOST_TEST(report.unavailable[0].reason ==
             "Version 9 of Alpha is not available here. The latest is 2.");
}

BOOST_AUTO_TEST_CASE(nothing_to_build_is_an_empty_selection) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1")});
  for (const SelectionRequest& request : {asking(","), kRecommended, asking(",", "plugin")}) {
    BOOST_TEST(std::holds_alternative<EmptySelection>(select(request, catalog, {"p"})));
  }
  BOOST_TEST(std::holds_alternative<EmptySelection>(select(kRecommended, domain::Catalog(), {})));
}

BOOST_AUTO_TEST_CASE(unknown_components_alone_are_invalid_not_empty) {
  BOOST_TEST((invalid(asking("nope"), domain::Catalog()).unknown == Texts{"nope"}));
}

BOOST_AUTO_TEST_CASE(bundles_are_followed_to_the_end) {
  const auto catalog = catalog_of({A("a", Layer::module, 1).brings("b").version("1"),
                                   A("b", Layer::module, 2).brings("c").version("1").version("2"),
                                   A("c", Layer::module, 3).never_a_choice().version("1")});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1", "b@2+", "c@1+"}));
}

BOOST_AUTO_TEST_CASE(circular_bundles_terminate) {
  const auto catalog = catalog_of({A("a", Layer::module, 1).brings("b").brings("a").version("1"),
                                   A("b", Layer::module, 2).brings("a").version("1")});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1", "b@1+"}));
}

BOOST_AUTO_TEST_CASE(a_component_that_is_named_as_well_as_bundled_counts_as_named) {
  const auto catalog = catalog_of({A("a", Layer::module, 1).brings("b").version("1"),
                                   A("b", Layer::module, 2).version("1").version("2")});
  BOOST_TEST((spelled(valid(asking("a,b@1"), catalog)) == Texts{"a@1", "b@1"}));
}

BOOST_AUTO_TEST_CASE(a_component_that_is_not_selectable_is_unknown_by_itself) {
  const auto catalog = catalog_of({A("a", Layer::module).brings("b").version("1"),
                                   A("b", Layer::module).never_a_choice().version("1"),
                                   A("c", Layer::module).version("1")});
  BOOST_TEST((invalid(asking("b"), catalog).unknown == Texts{"b"}));
  BOOST_TEST((invalid(asking("b,c"), catalog).unknown == Texts{"b"}));
}

BOOST_AUTO_TEST_CASE(
    a_component_that_is_not_selectable_may_be_named_together_with_what_bundles_it) {
  const auto catalog =
      catalog_of({A("a", Layer::module, 1).brings("m").version("1"),
                  A("m", Layer::module, 2).brings("z").version("1"),
                  A("z", Layer::module, 3).never_a_choice().version("1").version("2")});
  BOOST_TEST((spelled(valid(asking("z@1,a"), catalog)) == Texts{"a@1", "m@1+", "z@1"}));
}

BOOST_AUTO_TEST_CASE(components_that_are_not_selectable_cannot_justify_each_other) {
  const auto catalog =
      catalog_of({A("a", Layer::module).never_a_choice().brings("b").version("1"),
                  A("b", Layer::module).never_a_choice().brings("a").version("1")});
  BOOST_TEST((invalid(asking("a,b"), catalog).unknown == Texts{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(what_an_unavailable_component_bundles_may_be_named_but_is_not_added) {
  const auto catalog = catalog_of({A("a", Layer::module).brings("b").brings("c"),
                                   A("b", Layer::module).never_a_choice().version("1"),
                                   A("c", Layer::module).never_a_choice()});
  const InvalidSelection report = invalid(asking("a,b"), catalog);
  BOOST_TEST(report.unknown.empty());
  BOOST_TEST((unavailable_slugs(report) == Texts{"a"}));
}

BOOST_AUTO_TEST_CASE(a_bundled_component_that_was_never_mirrored_is_unavailable) {
  const auto catalog = catalog_of({A("a", Layer::module).brings("b").brings("b").version("1"),
                                   A("b", Layer::module).named("Beta").never_a_choice()});
  const InvalidSelection report = invalid(asking("a"), catalog);
  BOOST_REQUIRE(report.unavailable.size() == 1U);
  BOOST_TEST(report.unavailable[0].component == "b");
  BOOST_TEST(report.unavailable[0].name == "Beta");
}

BOOST_AUTO_TEST_CASE(a_bundled_component_with_a_pin_that_is_not_mirrored_is_unavailable) {
  const auto catalog = catalog_of(
      {A("a", Layer::module).brings("b").version("1"), A("b", Layer::module).version("1")});
  BOOST_TEST((unavailable_slugs(invalid(asking("a,b@7"), catalog)) == Texts{"b"}));
}

BOOST_AUTO_TEST_CASE(a_bundled_component_that_is_unavailable_is_excluded_from_further_checks) {
  const auto catalog =
      catalog_of({A("a", Layer::module).brings("b").version("1"),
                  A("b", Layer::module).brings("d").clashes_with("a").needs("c").version("1"),
                  A("c", Layer::module).version("1"), A("d", Layer::module)});
  const InvalidSelection report = invalid(asking("a,b@7"), catalog);
  BOOST_TEST((unavailable_slugs(report) == Texts{"b"}));
  BOOST_TEST(report.conflicts.empty());
  BOOST_TEST(report.missing_requires.empty());
}

BOOST_AUTO_TEST_CASE(a_default_that_is_not_selectable_is_included_only_if_bundled) {
  const domain::Component hidden =
      A("hidden", Layer::module, 90).by_default().never_a_choice().version("1");
  const auto alone = catalog_of(usual_stack() + std::vector<domain::Component>{hidden});
  BOOST_TEST(valid(kRecommended, alone).components.size() == 4U);

  const auto bundled = catalog_of(
      usual_stack() +
      std::vector<domain::Component>{
          hidden, A("extra", Layer::module, 80).by_default().brings("hidden").version("1")});
  BOOST_TEST(spelled(valid(kRecommended, bundled)).back() == "hidden@1+");
}

BOOST_AUTO_TEST_CASE(the_platform_is_the_component_of_the_platform_layer) {
  const auto catalog = catalog_of(usual_stack());
  const Selection with = valid(kRecommended, catalog);
  BOOST_REQUIRE(platform(with) != nullptr);
  BOOST_TEST(platform(with)->component->slug == "platform");
  BOOST_TEST(platform(valid(asking("engine"), catalog)) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_request_made_by_hand_may_be_unsorted_and_have_duplicates) {
  const auto catalog = catalog_of(
      {A("a", Layer::module, 1).version("1").version("2"), A("b", Layer::module, 2).version("1")});
  SelectionRequest request;
  request.components = {{"b", ""}, {"a", "1"}, {"b", ""}, {"a", ""}};
  BOOST_TEST((spelled(valid(request, catalog)) == Texts{"a@1", "b@1"}));
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_pins_of_one_component_are_one_component) {
  A component("a", Layer::module);
  for (int i = 0; i < 200; ++i) {
    component.version(domain::Version::parse(std::to_string(i)).value());
  }
  const auto catalog = catalog_of({component});
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a@" + std::to_string(i % 200) + ",";
  BOOST_TEST((spelled(valid(asking(text), catalog)) == Texts{"a@199"}));
  for (int i = 0; i < 100'000; ++i) text += "a@x" + std::to_string(i) + ",";
  BOOST_TEST((unavailable_slugs(invalid(asking(text), catalog)) == Texts{"a"}));
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_unknown_tokens_are_reported_in_order) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "no-" + std::to_string(i) + ",";
  const InvalidSelection report = invalid(asking(text), catalog_of(usual_stack()));
  BOOST_TEST(report.unknown.size() == 100'000U);
  BOOST_TEST(std::is_sorted(report.unknown.begin(), report.unknown.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
