// What a worker says of a schema that another version has migrated.
#include "app/limits/freshness.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "test/db/builders.hpp"
#include "test/support/captured_log.hpp"

namespace goldsmith::test {
namespace freshness {
namespace {

struct SteppedClock final : base::Clock {
  std::chrono::system_clock::time_point time = std::chrono::system_clock::now();
  std::chrono::system_clock::time_point now() const override { return time; }
};

struct Host : DatabaseFixture {
  base::TempDir folder;
  limits::SharedState state{folder.path() / "state", limits::SharedState::Open::create};
  SteppedClock clock;
  limits::Freshness freshness{state, database, clock};

  void look_again() {
    clock.time += std::chrono::seconds(3);
    freshness.epoch();
  }
};

std::size_t lines_with(const CapturedLog& log, const std::string& part) {
  const std::string text = log.text();
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(freshness_of_the_schema, Host)

BOOST_AUTO_TEST_CASE(a_schema_that_is_newer_is_logged_once_and_nothing_stops) {
  const CapturedLog log;
  look_again();
  BOOST_TEST(lines_with(log, "schema") == 0U);
  database.run("INSERT INTO schema_migrations VALUES (9999, 'later', 'x', UTC_TIMESTAMP())");
  for (int looks = 0; looks < 3; ++looks) look_again();
  BOOST_TEST(lines_with(log, "the database's schema is newer than this program") == 1U);
  BOOST_TEST(lines_with(log, "9999") == 1U);
}

BOOST_AUTO_TEST_CASE(a_change_on_this_host_begins_an_epoch_and_time_alone_does_not) {
  const std::uint64_t first = freshness.epoch();
  look_again();
  BOOST_TEST(freshness.epoch() == first);
  state.bump_generation();
  BOOST_TEST(freshness.epoch() == first + 1);
  look_again();
  BOOST_TEST(freshness.epoch() == first + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace freshness
}  // namespace goldsmith::test
