// How often workers ask for a fill of the depot.
#include "app/archive/depot_upkeep.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"

namespace goldsmith::test {
namespace depot_upkeep {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;

struct Request {
  base::TempDir folder;
  fs::path file = folder.path() / "depot-fill";

  // Whether a worker that lacks a file makes a request, if the last one was so long ago.
  bool is_made_after(minutes age) {
    const auto before = fs::file_time_type::clock::now() - age;
    fs::last_write_time(file, before);
    archive::request_fill(file);
    return fs::last_write_time(file) > before + minutes(1);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(requests_of_a_fill, Request)

BOOST_AUTO_TEST_CASE(the_first_is_made_at_once_and_the_next_after_five_minutes) {
  archive::request_fill(file);
  BOOST_REQUIRE(fs::exists(file));
  BOOST_TEST(!is_made_after(minutes(4)));
  BOOST_TEST(is_made_after(minutes(6)));
}

BOOST_AUTO_TEST_CASE(an_empty_file_is_no_request_yet) {
  base::write_atomically(file, "");
  archive::request_fill(file);
  BOOST_TEST(base::read_file(file) == "5\n");
}

BOOST_AUTO_TEST_CASE(the_interval_doubles_up_to_four_hours_while_the_need_persists) {
  archive::request_fill(file);
  for (const int interval : {5, 10, 20, 40, 80, 160, 240, 240}) {
    BOOST_TEST(!is_made_after(minutes(interval - 1)));
    BOOST_TEST(is_made_after(minutes(interval + 1)));
  }
}

BOOST_AUTO_TEST_CASE(a_need_that_ended_in_between_is_forgotten) {
  archive::request_fill(file);
  BOOST_TEST(is_made_after(minutes(6)));
  BOOST_TEST(is_made_after(minutes(21)));
  BOOST_TEST(is_made_after(minutes(6)));
}

BOOST_AUTO_TEST_CASE(a_file_with_other_content_or_from_the_future_is_replaced) {
  for (const char* const content : {"the depot lacks files\n", "", "99999999999999999999"}) {
    base::write_atomically(file, content);
    BOOST_TEST(is_made_after(minutes(6)));
  }
  BOOST_TEST(base::read_file(file) == "10\n");
  fs::last_write_time(file, fs::file_time_type::clock::now() + minutes(600));
  archive::request_fill(file);
  BOOST_TEST((fs::last_write_time(file) < fs::file_time_type::clock::now() + minutes(1)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace depot_upkeep
}  // namespace goldsmith::test
