#include "handlers/pages/source_pages.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith::handlers::pages;

namespace {

// "=a -b +c": the lines with what became of them.
std::string compared(std::string_view before, std::string_view after) {
  std::string html = compared_lines(before, after).html;
  std::string found;
  for (std::size_t at = html.find("<li "); at != std::string::npos; at = html.find("<li ", at)) {
    const std::size_t code = html.find("<code>", at) + std::string_view("<code>").size();
    const std::string tag = html.substr(at, html.find('>', at) - at);
    const bool is_added = tag.ends_with("class=\"added\"");
    const bool is_removed = tag.ends_with("class=\"removed\"");
    found.append(found.empty() ? "" : " ").append(is_added || is_removed ? "" : "=");
    found.append(html, code, html.find("</code>", code) - code);
    at = code;
  }
  return found;
}

std::string repeated(std::string_view line, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text.append(line).append(std::to_string(i)).append("\n");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lines_with_numbers)

BOOST_AUTO_TEST_CASE(lines_are_numbered_and_escaped) {
  const NumberedLines numbered = numbered_lines("a<b\r\n\nlast\n");
  const std::string& lines = numbered.html;
  BOOST_TEST(numbered.are_all);
  BOOST_TEST(lines.find("<li id=\"L1\">") != std::string::npos);
  BOOST_TEST(lines.find("<code>a&lt;b</code>") != std::string::npos);
  BOOST_TEST(lines.find("<li id=\"L3\">") != std::string::npos);
  BOOST_TEST(lines.find("<li id=\"L4\">") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_page_shows_ten_thousand_lines_at_most) {
  const std::string all(kLinesShown, '\n');
  BOOST_TEST(numbered_lines(all).are_all);
  const NumberedLines cut = numbered_lines(all + "more");
  BOOST_TEST(!cut.are_all);
  BOOST_TEST(cut.html == numbered_lines(all).html);
}

BOOST_AUTO_TEST_CASE(lines_that_differ_are_marked) {
  BOOST_TEST(compared("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n") == "=a − b + x =c =d + e");
  BOOST_TEST(compared("a\nb\na\n", "b\na\nb\n") == "− a =b =a + b");
  BOOST_TEST(compared("", "a<b\n") == "−  + a&lt;b");
  BOOST_TEST(compared("a\r\nb", "a\nb\n") == "=a =b");
}

BOOST_AUTO_TEST_CASE(lines_are_found_again_after_a_change) {
  BOOST_TEST(compared("start\nold\nmiddle\nend", "start\nmiddle\nnew\nend") ==
             "=start − old =middle + new =end");
}

BOOST_AUTO_TEST_CASE(a_unified_diff_has_the_lines_near_a_change) {
  const std::string same = repeated("s", 10);
  DifferenceRoom room;
  const NumberedLines lines = unified_lines(same + "old\n" + same, same + "n<w\n" + same, room);
  BOOST_TEST(lines.are_all);
  BOOST_TEST(
      lines.html ==
      "<li class=\"gap\"><code>@@ -8 +8 @@</code></li>\n"
      "<li><code>  s7</code></li>\n<li><code>  s8</code></li>\n<li><code>  s9</code></li>\n"
      "<li class=\"removed\"><code>− old</code></li>\n"
      "<li class=\"added\"><code>+ n&lt;w</code></li>\n"
      "<li><code>  s0</code></li>\n<li><code>  s1</code></li>\n<li><code>  s2</code></li>\n");
  BOOST_TEST(unified_lines("a\r\nb\r\n", "a\nb\n", room).html.empty());
}

BOOST_AUTO_TEST_CASE(unified_diffs_of_a_page_share_their_room) {
  DifferenceRoom room{3, 100};
  const NumberedLines first = unified_lines("a\n", "b\n", room);
  BOOST_TEST(first.are_all);
  BOOST_TEST(room.lines == 1U);
  BOOST_TEST(room.pairs == 99U);
  const NumberedLines second = unified_lines("a\n", "b\n", room);
  BOOST_TEST(!second.are_all);
  BOOST_TEST(second.html.find("− a") != std::string::npos);
  BOOST_TEST(second.html.find("+ b") == std::string::npos);
  BOOST_TEST(!unified_lines("a\n", "b\n", room).are_all);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_another_one_counts_as_changed_as_a_whole) {
  const std::string before = "same\n" + repeated("a", 1500) + "middle\n" + repeated("b", 1500);
  const std::string after = "same\n" + repeated("c", 1500) + "middle\n" + repeated("d", 1500);
  const NumberedLines lines = compared_lines(before, after);
  BOOST_TEST(lines.are_all);
  BOOST_TEST(lines.html.find("<code>same</code>") != std::string::npos);
  BOOST_TEST(lines.html.find("<code>− middle</code>") != std::string::npos);
  BOOST_TEST(lines.html.find("<code>+ middle</code>") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
