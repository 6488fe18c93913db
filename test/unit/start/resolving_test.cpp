// Why a selection can't be started.
#include "app/start/resolving.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/failure.hpp"

using namespace goldsmith;
using namespace goldsmith::start;

namespace {

std::string refused(const domain::Failure& failure) try {
  resolve({}, [&](const creator::SelectionRequest&) -> creator::Resolved { throw failure; });
  return "resolved";
} catch (const Unbuildable& unbuildable) {
  return unbuildable.what();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(resolving)

BOOST_AUTO_TEST_CASE(a_host_that_compiles_as_much_as_it_may_says_when_to_come_back) {
  const domain::RateLimited limited{domain::Limit::compiles, std::chrono::seconds(17)};
  BOOST_TEST(refused(domain::Failure(limited)) ==
             "this host compiles as much as it may for now; repeat this in 17 seconds");
}

// A refusal is no cause for a day without a start.
BOOST_AUTO_TEST_CASE(what_is_refused_is_tried_again_for_as_long_as_there_is_patience) {
  int tries = 0;
  auto left = std::chrono::seconds(1);
  const int done = when_allowed(left, [&] {
    if (++tries < 3) throw Refused(std::chrono::seconds(tries == 1 ? 0 : 1));
    return tries;
  });
  BOOST_TEST(done == 3);
  BOOST_TEST(left.count() == 0);
  const auto refuse = [&]() -> int { throw Refused(std::chrono::seconds(1)); };
  BOOST_CHECK_THROW(when_allowed(left, refuse), Refused);
}

BOOST_AUTO_TEST_CASE(a_failure_without_a_cause_is_named_by_its_code) {
  BOOST_TEST(refused(domain::Failure(domain::Error::zip_failed)) ==
             "a plugin of this selection can't be compiled: zip_failed");
}

BOOST_AUTO_TEST_SUITE_END()
