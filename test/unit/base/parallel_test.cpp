#include "app/base/parallel.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace goldsmith::base {

BOOST_AUTO_TEST_SUITE(parallel)

BOOST_AUTO_TEST_CASE(each_number_is_worked_at_once_and_by_a_known_thread) {
  constexpr std::size_t kThreads = 4;
  std::vector<int> times(1000);  // without a lock: no two threads have the same number
  std::vector<std::size_t> of_thread(kThreads);
  std::size_t told = 0;
  in_threads(
      kThreads, times.size(),
      [&](std::size_t thread, std::size_t i) {
        ++times.at(i);
        ++of_thread.at(thread);
      },
      [&](std::size_t done, std::size_t total) {
        BOOST_TEST(done == ++told);
        BOOST_TEST(total == times.size());
      });
  BOOST_TEST(times == std::vector<int>(1000, 1), boost::test_tools::per_element());
  BOOST_TEST(of_thread[0] + of_thread[1] + of_thread[2] + of_thread[3] == times.size());
  BOOST_TEST(told == times.size());
}

BOOST_AUTO_TEST_CASE(the_first_failure_ends_all_threads_and_is_thrown) {
  std::atomic<std::size_t> begun = 0;
  const auto work = [&](std::size_t /*thread*/, std::size_t i) {
    ++begun;
    if (i >= 10) throw std::runtime_error("no more");
  };
  BOOST_CHECK_EXCEPTION(
      in_threads(3, 1'000'000, work, [](std::size_t, std::size_t) {}), std::runtime_error,
      [](const std::runtime_error& error) { return error.what() == std::string("no more"); });
  // A thread may have taken its next number before it saw the failure.
  BOOST_TEST(begun < 1'000'000U);
}

BOOST_AUTO_TEST_CASE(nothing_to_do_is_done_at_once) {
  const auto fail = [](std::size_t, std::size_t) { BOOST_FAIL("there is nothing to do"); };
  in_threads(2, 0, fail, fail);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::base
