#include "app/cli/output.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::cli {

BOOST_AUTO_TEST_SUITE(progress_line)

using std::chrono::milliseconds;

BOOST_AUTO_TEST_CASE(a_transfer_shows_bar_share_bytes_rate_and_remaining_time) {
  BOOST_TEST(describe({"a.zip", 1'000'000, 4'000'000, milliseconds(2000)}, 100) ==
             "a.zip  [#######.......................]  25 %  1.0 MB of 4.0 MB  500 KB/s  6 s left");
  BOOST_TEST(describe({"a.zip", 4'000'000, 4'000'000, milliseconds(8000)}, 100) ==
             "a.zip  [##############################]  100 %  4.0 MB of 4.0 MB  500 KB/s");
  BOOST_TEST(describe({"a.zip", 1'000, 100'000'000, milliseconds(1000)}, 80)
                 .ends_with("0 %  1.0 KB of 100 MB  1.0 KB/s  27 h left"));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_not_shown) {
  BOOST_TEST(describe({"a.zip", 1'000'000, 0, milliseconds(2000)}, 80) ==
             "a.zip  1.0 MB  500 KB/s");
  BOOST_TEST(describe({"a.zip", 0, 1000, milliseconds(2000)}, 64) ==
             "a.zip  [..............................]  0 %  0 bytes of 1.0 KB");
  // Too early to tell a rate.
  BOOST_TEST(
      describe({"a.zip", 500, 1000, milliseconds(10)}, 40).ends_with("50 %  500 bytes of 1.0 KB"));
}

BOOST_AUTO_TEST_CASE(more_than_was_announced_is_no_more_than_all) {
  BOOST_TEST(describe({"a", 3000, 1000, milliseconds(0)}, 60) ==
             "a  [##############################]  100 %  3.0 KB of 3.0 KB");
}

BOOST_AUTO_TEST_CASE(the_bar_then_the_name_give_way_on_a_narrow_terminal) {
  const Transfer transfer{"a-rather-long-name-of-an-archive.zip", 1'000, 2'000, milliseconds(0)};
  BOOST_TEST(describe(transfer, 72) ==
             "a-rather-long-name-of-an-archive.zip  [####....]  50 %  1.0 KB of 2.0 KB");
  BOOST_TEST(describe(transfer, 50) == "a-rather-long-name-of-an-…  50 %  1.0 KB of 2.0 KB");
  for (std::size_t width = 40; width < 120; ++width) {
    BOOST_TEST(base::display_width(describe(transfer, width)) <= width);
  }
  const Transfer slow{"a-name.zip", 146'000, 293'000, milliseconds(1000)};
  BOOST_TEST(describe(slow, 44) == "a-name.zip  49 %  146 KB of 293 KB  146 KB/…");
}

BOOST_AUTO_TEST_CASE(where_there_is_no_terminal_nothing_is_written) {
  std::ostringstream out;
  {
    ProgressLine line(out, false);
    line.show("asking");
    line.show_transfer("a.zip", 1, 2);
  }
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_CASE(only_the_first_and_the_last_of_quick_changes_are_drawn) {
  std::ostringstream out;
  ProgressLine line(out, true);
  for (const unsigned done : {1U, 2U, 3U, 4U}) line.show_transfer("a.zip", done, 4);
  const std::string transfer = std::exchange(out, {}).str();
  BOOST_TEST(std::count(transfer.begin(), transfer.end(), '\r') == 2);
  BOOST_TEST(transfer.find("4 bytes of 4 bytes") != std::string::npos);
  line.show_count("files", 3, 4);  // as soon as that
  line.show_count("files", 4, 4);
  BOOST_TEST(out.str() == "\r4 of 4 files\x1b[K");
}

BOOST_AUTO_TEST_CASE(a_line_is_rewritten_and_gone_at_the_end) {
  std::ostringstream out;
  {
    ProgressLine line(out, true);
    line.show("asking\x1b[2J");
    line.clear();
    line.clear();
    line.show("again");
  }
  BOOST_TEST(out.str() == "\rasking [2J\x1b[K\r\x1b[K\ragain\x1b[K\r\x1b[K");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
