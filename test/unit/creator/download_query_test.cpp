// The query string that reproduces a build (decision S9).
#include "app/creator/selection.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;

std::string query(const SelectionRequest& request, const domain::Catalog& catalog) {
  return download_query(request, valid(request, catalog));
}

domain::Catalog small_catalog() {
  return catalog_of({A("z", Layer::module, 1).by_default().brings("hidden").version("1"),
                     A("a", Layer::module, 2).by_default().version("1").version("2"),
                     A("hidden", Layer::module, 3).never_a_choice().version("7"),
                     A("other", Layer::module, 4).version("1")});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(download_queries)

BOOST_AUTO_TEST_CASE(the_recommended_stack_is_pinned_in_load_order_without_what_is_bundled) {
  BOOST_TEST(query(parse_selection_request(std::nullopt, std::nullopt, false), small_catalog()) ==
             "components=z@1,a@2");
}

BOOST_AUTO_TEST_CASE(a_bundled_component_that_was_named_is_pinned) {
  BOOST_TEST(query(asking("hidden,z"), small_catalog()) == "components=z@1,hidden@7");
}

BOOST_AUTO_TEST_CASE(plugins_follow_and_then_the_switch) {
  const auto catalog = small_catalog();
  BOOST_TEST(query(asking("a@1", "q,p"), catalog) == "components=a@1&plugins=p,q");
  BOOST_TEST(query(parse_selection_request("a", "p", true), catalog) ==
             "components=a@2&plugins=p&optimized=1");
  BOOST_TEST(query(parse_selection_request("a", std::nullopt, true), catalog) ==
             "components=a@2&optimized=1");
}

BOOST_AUTO_TEST_CASE(all_but_commas_at_signs_and_unreserved_characters_is_percent_encoded) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1.0+git~5_x-y")});
  BOOST_TEST(query(asking("a", "x y&z=1#%+/\xC3\xA9\"'"), catalog) ==
             "components=a@1.0%2Bgit~5_x-y&plugins=x%20y%26z%3D1%23%25%2B%2F%C3%A9%22%27");
}

BOOST_AUTO_TEST_CASE(a_request_keeps_what_it_does_not_pin) {
  BOOST_TEST(request_query(parse_selection_request(std::nullopt, std::nullopt, false)).empty());
  BOOST_TEST(request_query(parse_selection_request(std::nullopt, "q,p", true)) ==
             "plugins=p,q&optimized=1");
  BOOST_TEST(request_query(parse_selection_request("b,a@1", "it's,p@2.0+x,p", false)) ==
             "components=a@1,b&plugins=it%27s,p@2.0%2Bx");
}

BOOST_AUTO_TEST_CASE(a_plan_pins_the_plugins_that_are_in_it) {
  const auto catalog = catalog_of(usual_stack());
  const Plan plan = planned(asking("platform,loader", "b,a,gone@3"), catalog,
                            {compiled("a", "a"), skipped("b", SkipReason::rejected)});
  BOOST_TEST(plan.download_query == "components=loader@1.0,platform@1.0&plugins=a@1.0,b,gone@3");
}

BOOST_AUTO_TEST_CASE(a_build_is_named_by_what_is_in_it_alone) {
  const auto catalog = catalog_of(usual_stack());
  SelectionRequest request = asking("platform,loader", "b,a,gone@3");
  request.order = {"b", "a"};
  const Plan plan =
      planned(request, catalog, {compiled("a", "a"), skipped("b", SkipReason::rejected)});
  BOOST_TEST(plan.build_query == "components=loader@1.0,platform@1.0&plugins=a@1.0&order=a");
  BOOST_TEST(planned(asking("z"), small_catalog()).build_query == "components=z@1,hidden@7");
  request.optimized = true;
  const std::vector<domain::OverlaySection> tuned{{"hlds_linux", domain::Slug("engine"), 0, "x"}};
  BOOST_TEST(planned(request, catalog, {}, tuned).build_query ==
             "components=loader@1.0,platform@1.0");
  request.components->push_back({"engine", ""});
  BOOST_TEST(planned(request, catalog, {}, tuned).build_query ==
             "components=engine@1.0,loader@1.0,platform@1.0&optimized=1");
}

BOOST_AUTO_TEST_CASE(control_bytes_cannot_split_the_address) {
  const auto catalog = catalog_of({A("a", Layer::module).version("1")});
  BOOST_TEST(query(asking("a", std::string_view("x\r\nLocation: y\0z", 16)), catalog) ==
             "components=a@1&plugins=x%0D%0ALocation%3A%20y%00z");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
