#include "handlers/pages/creator_plugins.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith;

BOOST_AUTO_TEST_SUITE(plugins_in_the_creator)

BOOST_AUTO_TEST_CASE(only_plugins_that_were_skipped_are_left_out) {
  creator::Plan plan;
  plan.requested = {{"a", "A", "1.0", creator::PluginStatus::added},
                    {"b", "B", "", creator::PluginStatus::skipped},
                    {"No slug", "", "", creator::PluginStatus::skipped}};
  const auto left_out = handlers::pages::left_out_plugins(plan);
  BOOST_TEST(left_out.size() == 1U);
  BOOST_TEST(left_out.front().str() == "b");
}

BOOST_AUTO_TEST_SUITE_END()
