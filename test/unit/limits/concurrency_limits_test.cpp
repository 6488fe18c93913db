#include "app/limits/concurrency.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "test/unit/compile/scripted_compiler.hpp"

namespace goldsmith::limits::test {
namespace {

using domain::Admission;
using domain::Limit;
using domain::RateLimited;
using domain::Turn;
using std::chrono::seconds;

constexpr std::uint64_t kLarge = 1U << 30;

// As many turns as there are, up to 50, and the refusal that ended it.
struct Taken {
  std::vector<Turn> places;
  std::optional<RateLimited> refusal;
};

template <typename Take>
Taken take_all(Take take) {
  Taken taken;
  while (taken.places.size() < 50) {
    Admission turn = take();
    if (const auto* refusal = std::get_if<RateLimited>(&turn)) {
      taken.refusal = *refusal;
      break;
    }
    taken.places.push_back(std::get<Turn>(std::move(turn)));
  }
  return taken;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(concurrency_limits, compile::test::Host)

BOOST_AUTO_TEST_CASE(unproved_compiles_have_half_of_the_workers_rounded_down_but_one) {
  for (const auto& [all, half] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 2}, {8, 4}}) {
    workers = all;
    const Taken taken = take_all([&] { return limits.compile_unproved(); });
    BOOST_TEST(taken.places.size() == half, all << " workers");
    BOOST_TEST_REQUIRE(taken.refusal.has_value());
    BOOST_TEST((taken.refusal->limit == Limit::unproved));
    BOOST_TEST((taken.refusal->wait >= seconds(1) && taken.refusal->wait <= seconds(5)));
  }
}

BOOST_AUTO_TEST_CASE(waiters_have_half_of_the_workers_and_come_back_in_five_seconds) {
  for (const auto& [all, half] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {2, 1}, {4, 2}, {9, 4}}) {
    workers = all;
    const Taken taken = take_all([&] { return limits.wait_for_build(); });
    BOOST_TEST(taken.places.size() == half, all << " workers");
    BOOST_TEST((taken.refusal == RateLimited{Limit::waiters, seconds(5)}));
  }
}

BOOST_AUTO_TEST_CASE(pages_have_half_of_the_workers_and_may_compile_there) {
  for (const auto& [all, half] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {2, 1}, {4, 2}, {9, 4}}) {
    workers = all;
    const Taken taken = take_all([&] { return limits.make_page(); });
    BOOST_TEST(taken.places.size() == half, all << " workers");
    BOOST_TEST((taken.refusal == RateLimited{Limit::pages, seconds(1)}));
    BOOST_TEST(std::holds_alternative<Turn>(limits.compile_unproved()));
  }
}

BOOST_AUTO_TEST_CASE(one_worker_makes_files_ahead_if_slow_work_leaves_it_a_place) {
  {
    const Taken taken = take_all([&] { return limits.provide_resources(); });
    BOOST_TEST(taken.places.size() == 1U);
  }
  const Taken unproved = take_all([&] { return limits.compile_unproved(); });
  const Taken builds = take_all([&] { return limits.build(kLarge); });
  BOOST_TEST(std::holds_alternative<RateLimited>(limits.provide_resources()));
}

BOOST_AUTO_TEST_CASE(a_place_is_free_when_its_work_is_over) {
  workers = 2;
  {
    const Admission turn = limits.compile_unproved();
  }
  BOOST_TEST(std::holds_alternative<Turn>(limits.compile_unproved()));
}

BOOST_AUTO_TEST_CASE(all_slow_work_together_leaves_a_worker_free) {
  const Taken unproved = take_all([&] { return limits.compile_unproved(); });
  const Taken builds = take_all([&] { return limits.build(kLarge); });
  BOOST_TEST(unproved.places.size() == 2U);
  BOOST_TEST(builds.places.size() == 1U);
  BOOST_TEST((builds.refusal == RateLimited{Limit::slow_builds, seconds(5)}));
  BOOST_TEST(std::holds_alternative<RateLimited>(limits.wait_for_build()));
}

BOOST_AUTO_TEST_CASE(all_slow_work_together_leaves_a_quarter_of_many_workers_free) {
  for (const auto& [all, most] :
       std::vector<std::pair<std::size_t, std::size_t>>{{3, 2}, {7, 6}, {8, 6}, {16, 12}}) {
    workers = all;
    BOOST_TEST(take_all([&] { return limits.build(kLarge); }).places.size() == most);
  }
}

BOOST_AUTO_TEST_CASE(a_large_build_and_its_waiters_leave_a_worker_free) {
  const Admission build = limits.build(kLarge);
  const Taken waiters = take_all([&] { return limits.wait_for_build(); });
  BOOST_TEST(waiters.places.size() == 2U);
  BOOST_TEST(std::holds_alternative<RateLimited>(limits.build(kLarge)));
}

BOOST_AUTO_TEST_CASE(two_workers_still_do_what_is_granted_to_each) {
  workers = 2;
  const Admission build = limits.build(kLarge);
  BOOST_TEST(std::holds_alternative<Turn>(limits.wait_for_build()));
  BOOST_TEST(std::holds_alternative<Turn>(limits.compile_unproved()));
}

BOOST_AUTO_TEST_CASE(small_builds_are_always_admitted) {
  const Taken slow = take_all([&] { return limits.build(kLarge); });
  BOOST_TEST(slow.places.size() == 3U);
  BOOST_TEST(std::holds_alternative<Turn>(limits.build(64U << 20)));
  BOOST_TEST(std::holds_alternative<RateLimited>(limits.build((64U << 20) + 1)));
}

BOOST_AUTO_TEST_CASE(a_refused_turn_holds_nothing) {
  const Taken builds = take_all([&] { return limits.build(kLarge); });
  BOOST_TEST(std::holds_alternative<RateLimited>(limits.wait_for_build()));
  const Taken more = take_all([&] { return limits.wait_for_build(); });
  BOOST_TEST(more.places.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::limits::test
