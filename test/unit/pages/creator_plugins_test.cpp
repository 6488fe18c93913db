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

BOOST_AUTO_TEST_CASE(what_plugins_take_of_a_frame_is_added_up) {
  const auto told = [](std::vector<std::optional<int>> percents) {
    creator::Plan plan;
    plan.requested = {{"out", "Out", "", creator::PluginStatus::skipped}};
    for (const auto& percent : percents) {
      plan.requested.push_back({"a", "A", "1.0", creator::PluginStatus::added});
      plan.requested.back().frame_percent = percent;
    }
    json::Object result;
    handlers::pages::add_costs(plan, result);
    return json::to_string(result);
  };
  BOOST_TEST(told({}) == "{}");
  BOOST_TEST(told({std::nullopt}) == "{}");
  BOOST_TEST(told({0, 0}) == R"({"cost":"nothing noticeable"})");
  BOOST_TEST(told({12, std::nullopt}) ==
             R"({"cost":"12% of a frame","unmeasured":"1 plugin was not measured"})");
  BOOST_TEST(told({0, 0, 0, 0}) == "{}");
  // Half of a frame each beside the server alone: two of three parts.
  BOOST_TEST(told({50, 50}) == R"({"cost":"67% of a frame"})");
}

BOOST_AUTO_TEST_SUITE_END()
