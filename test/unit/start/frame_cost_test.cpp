#include "app/start/frame_cost.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace goldsmith;
using namespace goldsmith::start;

namespace {

using Facts = std::vector<std::vector<std::string>>;

// Ten rounds of turns with two plugins: `time` has the milliseconds of a turn by who is paused, and
// which turn it is.
Facts told(const std::function<int(int paused, int turn)>& time) {
  Facts facts;
  int turn = 0;
  const auto tell = [&](int paused) {
    facts.push_back({"cost", std::to_string(paused), std::to_string(time(paused, turn))});
    ++turn;
  };
  for (int round = 0; round < 10; ++round) {
    for (int paused = 0; paused < 4; ++paused) {
      tell(-1);
      tell(paused);
    }
  }
  tell(-1);
  return facts;
}

// Of which plugin 2, the first, takes 20.
int milliseconds(int paused) { return paused == 1 || paused == 2 ? 80 : 100; }

constexpr int kNotKnown = -1;
int percent(const FrameCost& cost) { return cost.percent.value_or(kNotKnown); }

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_costs_of_plugins)

BOOST_AUTO_TEST_CASE(the_time_that_turns_without_a_plugin_save_is_its_own) {
  const FrameCosts costs =
      frame_costs(told([](int paused, int) { return milliseconds(paused); }), {"a.amxx", "b.amxx"});
  BOOST_TEST(costs.frame.count() == 2'000'000);  // 100 ms in 50 frames
  BOOST_TEST(percent(costs.all) == 20);
  BOOST_TEST(costs.all.file == "");
  BOOST_TEST_REQUIRE(costs.plugins.size() == 2U);
  BOOST_TEST(costs.plugins[0].file == "a.amxx");
  BOOST_TEST(percent(costs.plugins[0]) == 20);
  BOOST_TEST(costs.plugins[0].frame.count() == 400'000);
  BOOST_TEST(percent(costs.plugins[1]) == 0);
}

BOOST_AUTO_TEST_CASE(a_processor_that_gets_slower_or_is_busy_for_a_while_changes_nothing) {
  const FrameCosts costs = frame_costs(told([](int paused, int turn) {
                                         const int slower = turn >= 40 ? 2 : 1;
                                         const int busy = turn % 13 == 0 ? 70 : 0;
                                         return milliseconds(paused) * slower + busy;
                                       }),
                                       {"a.amxx", "b.amxx"});
  BOOST_TEST(percent(costs.plugins[0]) > 0);
  BOOST_TEST(percent(costs.plugins[1]) == 0);
}

BOOST_AUTO_TEST_CASE(what_chance_may_hide_is_not_known) {
  const FrameCosts costs =
      frame_costs(told([](int paused, int turn) { return milliseconds(paused) + turn * 37 % 83; }),
                  {"a.amxx", "b.amxx"});
  for (const FrameCost& cost : costs.plugins) {
    BOOST_TEST(percent(cost) == kNotKnown, cost.file);
    BOOST_TEST(cost.unknown == kLeftToChance);
  }
}

// Players who are made up are sent nothing.
BOOST_AUTO_TEST_CASE(what_hooks_that_which_is_sent_is_not_known_nor_all_together) {
  const FrameCosts costs = frame_costs(told([](int paused, int) { return milliseconds(paused); }),
                                       {"a.amxx", "b.amxx"}, {{"b.amxx", kHooksWhatIsSent}});
  BOOST_TEST(percent(costs.plugins[0]) == 20);
  BOOST_TEST(costs.plugins[0].unknown == "");
  BOOST_TEST(percent(costs.plugins[1]) == kNotKnown);
  BOOST_TEST(costs.plugins[1].unknown == kHooksWhatIsSent);
  BOOST_TEST(percent(costs.all) == kNotKnown);
  BOOST_TEST(costs.all.unknown == "it is not known of b.amxx");
}

BOOST_AUTO_TEST_CASE(the_clock_may_turn_over) {
  const FrameCosts costs = frame_costs(
      told([](int paused, int turn) { return milliseconds(paused) - (turn % 7 == 0 ? 4295 : 0); }),
      {"a.amxx", "b.amxx"});
  BOOST_TEST(percent(costs.plugins[0]) == 20);
}

BOOST_AUTO_TEST_CASE(without_numbers_nothing_is_known) {
  for (const Facts& facts : {Facts{}, Facts{{"cost"}, {"cost", "x", "1"}, {"cost", "1", "1x"}},
                             Facts{{"cost", "-1", "0"}, {"cost", "2", "0"}, {"cost", "-1", "0"}}}) {
    const FrameCosts costs = frame_costs(facts, {"a.amxx"});
    BOOST_TEST(costs.frame.count() == 0);
    BOOST_TEST(percent(costs.plugins[0]) == kNotKnown);
  }
}

BOOST_AUTO_TEST_SUITE_END()
