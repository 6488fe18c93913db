// Problems of a selection (decisions S3 and S7).
#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

Texts conflicts(const InvalidSelection& report) {
  Texts found;
  for (const Conflict& each : report.conflicts) {
    found.push_back(each.component + "|" + each.with + "|" + each.reason.english());
  }
  return found;
}

Texts missing(const InvalidSelection& report) {
  Texts found;
  for (const MissingRequire& each : report.missing_requires) {
    found.push_back(each.component + "|" + each.versions.of(each.requires_) + "|" +
                    each.reason.english());
  }
  return found;
}

Texts layer_conflicts(const InvalidSelection& report) {
  Texts found;
  for (const LayerConflict& each : report.layer_conflicts) {
    found.push_back(each.layer);
    found.insert(found.end(), each.components.begin(), each.components.end());
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(selection_rules)

BOOST_AUTO_TEST_CASE(two_components_of_an_exclusive_layer_are_a_layer_conflict) {
  const auto catalog =
      catalog_of({A("x", Layer::engine, 1).version("1"), A("b", Layer::engine, 2).version("1"),
                  A("a", Layer::engine, 3).version("1")});
  BOOST_TEST(
      (layer_conflicts(invalid(asking("x,b,a"), catalog)) == Texts{"engine", "a", "b", "x"}));
}

BOOST_AUTO_TEST_CASE(every_layer_is_exclusive_or_not_as_in_the_contract) {
  for (const domain::LayerInfo& layer : domain::layers()) {
    const auto catalog =
        catalog_of({A("a", layer.layer).version("1"), A("b", layer.layer).version("1")});
    const bool is_valid = std::holds_alternative<Selection>(select(asking("a,b"), catalog, {}));
    BOOST_TEST(is_valid == !layer.exclusive, layer.key);
  }
}

BOOST_AUTO_TEST_CASE(layer_conflicts_are_sorted_by_layer) {
  const auto catalog =
      catalog_of({A("m1", Layer::metamod).version("1"), A("m2", Layer::metamod).version("1"),
                  A("u1", Layer::auth).version("1"), A("u2", Layer::auth).version("1")});
  BOOST_TEST((layer_conflicts(invalid(asking("m1,m2,u1,u2"), catalog)) ==
              Texts{"auth", "u1", "u2", "metamod", "m1", "m2"}));
}

BOOST_AUTO_TEST_CASE(a_bundled_component_takes_part_in_the_exclusiveness_of_its_layer) {
  const auto catalog =
      catalog_of({A("a", Layer::module).brings("e2").version("1"),
                  A("e1", Layer::engine).version("1"), A("e2", Layer::engine).version("1")});
  BOOST_TEST((layer_conflicts(invalid(asking("a,e1"), catalog)) == Texts{"engine", "e1", "e2"}));
}

BOOST_AUTO_TEST_CASE(a_conflict_counts_in_both_directions) {
  const auto catalog =
      catalog_of({A("a", Layer::module).version("1"),
                  A("b", Layer::module).clashes_with("a", "b hates a").version("1")});
  BOOST_TEST((conflicts(invalid(asking("a,b"), catalog)) == Texts{"b|a|b hates a"}));
}

BOOST_AUTO_TEST_CASE(a_conflict_that_both_name_is_reported_once) {
  const auto catalog = catalog_of(
      {A("a", Layer::module).clashes_with("b", "a says").version("1"),
       A("b", Layer::module).clashes_with("a", "b says").clashes_with("a").version("1")});
  BOOST_TEST((conflicts(invalid(asking("b,a"), catalog)) == Texts{"a|b|a says"}));
}

BOOST_AUTO_TEST_CASE(a_conflict_without_a_note_gets_a_reason_with_the_names) {
  const auto catalog =
      catalog_of({A("a", Layer::module).named("Alpha").clashes_with("b").version("1"),
                  A("b", Layer::module).named("Beta").version("1")});
  BOOST_TEST((conflicts(invalid(asking("a,b"), catalog)) ==
              Texts{"a|b|Alpha can't be used together with Beta."}));
}

BOOST_AUTO_TEST_CASE(a_component_does_not_conflict_with_itself_or_with_what_is_not_selected) {
  const auto catalog = catalog_of(
      {A("a", Layer::module).clashes_with("a").clashes_with("b").clashes_with("no").version("1"),
       A("b", Layer::module).version("1")});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1"}));
}

BOOST_AUTO_TEST_CASE(bundled_components_conflict_too) {
  const auto catalog = catalog_of({A("a", Layer::module).brings("b").version("1"),
                                   A("b", Layer::module).clashes_with("c", "no").version("1"),
                                   A("c", Layer::module).version("1")});
  BOOST_TEST((conflicts(invalid(asking("a,c"), catalog)) == Texts{"b|c|no"}));
}

BOOST_AUTO_TEST_CASE(a_requirement_that_is_not_selected_is_missing) {
  const auto catalog =
      catalog_of({A("a", Layer::module).needs("b", "a runs on b").version("1"),
                  A("b", Layer::module).version("1"), A("c", Layer::module).version("1")});
  BOOST_TEST((missing(invalid(asking("a,c"), catalog)) == Texts{"a|b|a runs on b"}));
  BOOST_TEST((spelled(valid(asking("a,b"), catalog)) == Texts{"a@1", "b@1"}));
}

BOOST_AUTO_TEST_CASE(a_requirement_without_a_note_gets_a_reason_with_the_names) {
  const auto catalog =
      catalog_of({A("a", Layer::module).named("Alpha").needs("b").needs("b").version("1"),
                  A("b", Layer::module).named("Beta")});
  BOOST_TEST((missing(invalid(asking("a"), catalog)) == Texts{"a|b|Alpha needs Beta."}));
}

BOOST_AUTO_TEST_CASE(a_requirement_is_met_by_any_component_of_the_exclusive_layer) {
  const auto catalog =
      catalog_of({A("a", Layer::module).needs("e1").version("1"),
                  A("e1", Layer::engine).version("1"), A("e2", Layer::engine).version("1")});
  BOOST_TEST((spelled(valid(asking("a,e2"), catalog)) == Texts{"a@1", "e2@1"}));
}

BOOST_AUTO_TEST_CASE(a_requirement_is_met_by_its_layer_even_if_it_was_never_mirrored) {
  const auto catalog = catalog_of({A("a", Layer::module).needs("e1").version("1"),
                                   A("e1", Layer::engine), A("e2", Layer::engine).version("1")});
  BOOST_TEST((spelled(valid(asking("a,e2"), catalog)) == Texts{"a@1", "e2@1"}));
}

BOOST_AUTO_TEST_CASE(
    a_requirement_in_a_layer_that_is_not_exclusive_is_met_only_by_the_component_itself) {
  const auto catalog =
      catalog_of({A("a", Layer::voice).needs("m1").version("1"),
                  A("m1", Layer::module).version("1"), A("m2", Layer::module).version("1")});
  BOOST_TEST((missing(invalid(asking("a,m2"), catalog)) == Texts{"a|m1|a needs m1."}));
}

BOOST_AUTO_TEST_CASE(a_bundled_component_meets_a_requirement_and_has_its_own) {
  const auto catalog = catalog_of({A("a", Layer::module, 1).needs("b").brings("b").version("1"),
                                   A("b", Layer::module, 2).needs("c").version("1"),
                                   A("c", Layer::module, 3).version("1")});
  BOOST_TEST((missing(invalid(asking("a"), catalog)) == Texts{"b|c|b needs c."}));
  BOOST_TEST((spelled(valid(asking("a,c"), catalog)) == Texts{"a@1", "b@1+", "c@1"}));
}

BOOST_AUTO_TEST_CASE(a_requirement_that_was_requested_but_is_unavailable_is_not_reported_again) {
  const auto catalog = catalog_of(
      {A("a", Layer::module).needs("b").version("1"), A("b", Layer::module),
       A("c", Layer::module).needs("d").version("1"), A("d", Layer::module).version("1")});
  const InvalidSelection report = invalid(asking("a,b,c,d@9"), catalog);
  BOOST_TEST(report.unavailable.size() == 2U);
  BOOST_TEST(report.missing_requires.empty());
}

BOOST_AUTO_TEST_CASE(unavailable_components_are_excluded_from_further_checks) {
  const auto catalog = catalog_of({A("a", Layer::module).clashes_with("b").needs("d").version("1"),
                                   A("b", Layer::module).version("1"),
                                   A("e1", Layer::engine).version("1"), A("e2", Layer::engine)});
  const InvalidSelection report = invalid(asking("a@9,b,e1,e2"), catalog);
  BOOST_TEST(report.unavailable.size() == 2U);
  BOOST_TEST(report.conflicts.empty());
  BOOST_TEST(report.missing_requires.empty());
  BOOST_TEST(report.layer_conflicts.empty());
}

BOOST_AUTO_TEST_CASE(all_problems_are_reported_at_once_and_sorted) {
  const auto catalog =
      catalog_of({A("z", Layer::engine, 1).needs("nobody").version("1"),
                  A("y", Layer::engine, 2).clashes_with("z", "no").version("1"),
                  A("x", Layer::module, 3).needs("w").needs("v").version("1"),
                  A("w", Layer::module, 4).version("1"), A("v", Layer::module, 5).version("1"),
                  A("u", Layer::module, 6), A("t", Layer::module, 7)});
  const InvalidSelection report = invalid(asking("z,y,x,u,t,s,r"), catalog);
  BOOST_TEST((report.unknown == Texts{"r", "s"}));
  BOOST_REQUIRE(report.unavailable.size() == 2U);
  BOOST_TEST(report.unavailable[0].component == "t");
  BOOST_TEST(report.unavailable[1].component == "u");
  BOOST_TEST((conflicts(report) == Texts{"y|z|no"}));
  BOOST_TEST(
      (missing(report) == Texts{"x|v|x needs v.", "x|w|x needs w.", "z|nobody|z needs nobody."}));
  BOOST_TEST((layer_conflicts(report) == Texts{"engine", "y", "z"}));
  BOOST_TEST(!report.empty());
}

// Two versions of "a"; the rules are of the older one.
domain::Catalog two_versions(A rules) {
  return catalog_of({rules.rule_in("<2.0").version("2.0", "2024-02-01 00:00:00"_utc).version("1.0"),
                     A("b", Layer::module).version("1")});
}

BOOST_AUTO_TEST_CASE(rules_are_those_of_the_selected_version) {
  const auto conflicting = two_versions(A("a", Layer::module).clashes_with("b", "No."));
  BOOST_TEST((conflicts(invalid(asking("a@1.0,b"), conflicting)) == Texts{"a|b|No."}));
  BOOST_TEST(valid(asking("a,b"), conflicting).components.size() == 2U);

  const auto needing = two_versions(A("a", Layer::module).needs("b", "Needs it."));
  BOOST_TEST((missing(invalid(asking("a@1.0"), needing)) == Texts{"a|b|Needs it."}));
  BOOST_TEST(valid(asking("a"), needing).components.size() == 1U);
}

// "a" with a rule about 2.0 and later of "b", which has an older and a newer version.
domain::Catalog versions_of_the_other(A rules) {
  return catalog_of(
      {rules.named("Alpha").about(">=2.0").version("5.26"),
       A("b", Layer::engine).named("Beta").version("2.0", "2024-02-01 00:00:00"_utc).version("1.0"),
       A("c", Layer::engine).version("1.0")});
}

BOOST_AUTO_TEST_CASE(a_conflict_with_some_versions_leaves_the_others) {
  const auto catalog = versions_of_the_other(A("a", Layer::module).clashes_with("b"));
  BOOST_TEST((conflicts(invalid(asking("a,b"), catalog)) ==
              Texts{"a|b|Alpha 5.26 can't be used together with Beta 2.0 or newer."}));
  BOOST_TEST((spelled(valid(asking("a,b@1.0"), catalog)) == Texts{"a@5.26", "b@1.0"}));
  const auto noted = versions_of_the_other(A("a", Layer::module).clashes_with("b", "Too new."));
  BOOST_TEST((conflicts(invalid(asking("a,b"), noted)) == Texts{"a|b|Too new."}));
}

BOOST_AUTO_TEST_CASE(a_requirement_of_some_versions_is_met_by_no_other) {
  const auto catalog = versions_of_the_other(A("a", Layer::module).needs("b"));
  const Texts lacking{"a|b >=2.0|Alpha 5.26 needs Beta 2.0 or newer or c."};
  BOOST_TEST((missing(invalid(asking("a,b@1.0"), catalog)) == lacking));
  BOOST_TEST((missing(invalid(asking("a"), catalog)) == lacking));
  BOOST_TEST(valid(asking("a,b"), catalog).components.size() == 2U);
  BOOST_TEST(valid(asking("a,c"), catalog).components.size() == 2U);
  const auto noted = versions_of_the_other(A("a", Layer::module).needs("b", "Too old."));
  BOOST_TEST((missing(invalid(asking("a,b@1.0"), noted)) ==
              Texts{"a|b >=2.0|Too old. Accepted: Beta 2.0 or newer or c."}));
}

BOOST_AUTO_TEST_CASE(of_several_requirements_of_a_component_each_counts) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .needs("b", "Too new.")
                                       .about("<3.0")
                                       .needs("b", "Too old.")
                                       .about(">=2.0")
                                       .version("1"),
                                   A("b", Layer::module)
                                       .named("Beta")
                                       .version("3.0", "2024-03-01 00:00:00"_utc)
                                       .version("2.0", "2024-02-01 00:00:00"_utc)
                                       .version("1.0")});
  const std::string accepted = " Accepted: Beta 2.0 or newer, before 3.0.";
  BOOST_TEST(
      (missing(invalid(asking("a,b"), catalog)) == Texts{"a|b <3.0 >=2.0|Too new." + accepted}));
  BOOST_TEST((missing(invalid(asking("a,b@1.0"), catalog)) ==
              Texts{"a|b <3.0 >=2.0|Too old." + accepted}));
  BOOST_TEST(
      (missing(invalid(asking("a"), catalog)) == Texts{"a|b <3.0 >=2.0|Too new." + accepted}));
  BOOST_TEST(valid(asking("a,b@2.0"), catalog).components.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_bundle_of_some_versions_comes_with_them_alone) {
  const auto catalog = catalog_of({A("a", Layer::module)
                                       .brings("b")
                                       .rule_in("<2.0")
                                       .version("2.0", "2024-02-01 00:00:00"_utc)
                                       .version("1.0"),
                                   A("b", Layer::module).never_a_choice().version("1")});
  BOOST_TEST(valid(asking("a@1.0"), catalog).components.size() == 2U);
  BOOST_TEST(valid(asking("a@1.0,b"), catalog).components.size() == 2U);
  BOOST_TEST(valid(asking("a"), catalog).components.size() == 1U);
  BOOST_TEST((invalid(asking("a,b"), catalog).unknown == Texts{"b"}));
}

BOOST_AUTO_TEST_CASE(a_recommendation_never_blocks) {
  const auto catalog =
      catalog_of({A("a", Layer::module).likes("b").version("1"), A("b", Layer::module)});
  BOOST_TEST((spelled(valid(asking("a"), catalog)) == Texts{"a@1"}));
}

BOOST_AUTO_TEST_CASE(a_published_plugin_without_a_platform_misses_the_default_platform) {
  const auto catalog = catalog_of(
      std::vector<domain::Component>{A("older", Layer::amxmodx, 1).version("1")} + usual_stack());
  const InvalidSelection report = invalid(asking("engine", "b,a"), catalog, {"b", "a"});
  BOOST_TEST((missing(report) ==
              Texts{"plugin:a|platform|Plugins need a plugin platform: platform or older.",
                    "plugin:b|platform|Plugins need a plugin platform: platform or older."}));
}

BOOST_AUTO_TEST_CASE(where_no_default_platform_is_available_the_first_available_one_is_named) {
  const auto catalog = catalog_of(
      {A("e", Layer::engine).version("1"), A("never", Layer::amxmodx, 1).by_default(),
       A("hidden", Layer::amxmodx, 2).never_a_choice().version("1"),
       A("this", Layer::amxmodx, 3).version("1"), A("later", Layer::amxmodx, 4).version("1")});
  BOOST_TEST(invalid(asking("e"), catalog, {"p"}).missing_requires.at(0).requires_ == "this");
}

BOOST_AUTO_TEST_CASE(a_catalog_without_a_platform_still_reports_what_is_missing) {
  const auto catalog = catalog_of({A("e", Layer::engine).version("1")});
  BOOST_TEST(invalid(asking("e"), catalog, {"p"}).missing_requires.at(0).requires_ == "amxmodx");
}

BOOST_AUTO_TEST_CASE(any_platform_will_do_for_plugins) {
  const auto catalog = catalog_of(
      usual_stack() + std::vector<domain::Component>{A("older", Layer::amxmodx).version("1")});
  BOOST_TEST((spelled(valid(asking("older", "p"), catalog, {"p"})) == Texts{"older@1"}));
}

BOOST_AUTO_TEST_CASE(an_unknown_plugin_needs_no_platform) {
  const auto catalog = catalog_of(usual_stack());
  BOOST_TEST((spelled(valid(asking("engine", "nope"), catalog, {})) == Texts{"engine@1.0"}));
}

BOOST_AUTO_TEST_CASE(a_platform_that_was_requested_but_is_unavailable_is_not_reported_again) {
  const auto catalog = catalog_of(usual_stack());
  const InvalidSelection report = invalid(asking("platform@9", "p"), catalog, {"p"});
  BOOST_TEST(report.unavailable.size() == 1U);
  BOOST_TEST(report.missing_requires.empty());
}

BOOST_AUTO_TEST_CASE(a_pinned_plugin_version_that_can_not_be_chosen_is_reported_with_the_rest) {
  const auto catalog = catalog_of(usual_stack());
  const SelectionResult result = select(asking("engine,nothing", "p@9"), catalog, {"p"},
                                        {{"plugin:p", "P", base::Message("Gone.")}});
  BOOST_REQUIRE(std::holds_alternative<InvalidSelection>(result));
  const auto& found = std::get<InvalidSelection>(result);
  BOOST_REQUIRE(found.unavailable.size() == 1U);
  BOOST_TEST(found.unavailable[0].component == "plugin:p");
  BOOST_TEST(found.unknown.size() == 1U);
  BOOST_TEST(found.missing_requires.size() == 1U);
  BOOST_TEST(std::holds_alternative<EmptySelection>(
      select(asking(",", "p@9"), catalog, {"p"}, {{"plugin:p", "P", base::Message("Gone.")}})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
