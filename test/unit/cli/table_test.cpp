#include "app/cli/output.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "app/cli/output.hpp"

namespace goldsmith::cli {

BOOST_AUTO_TEST_SUITE(tables)

BOOST_AUTO_TEST_CASE(columns_are_aligned_and_numbers_stand_on_the_right) {
  Table table({"SLUG", "BYTES", "NAME"});
  table.add({"a", "5", "x"});
  table.add({"longer", "1000000", "y"});
  std::ostringstream out;
  table.print(out);
  BOOST_TEST(out.str() ==
             "SLUG      BYTES  NAME\n"
             "a             5  x\n"
             "longer  1000000  y\n");
}

BOOST_AUTO_TEST_CASE(an_empty_table_is_its_headers) {
  std::ostringstream out;
  Table({"A", "B"}).print(out);
  BOOST_TEST(out.str() == "A  B\n");
}

BOOST_AUTO_TEST_CASE(columns_are_as_wide_as_a_terminal_shows_them) {
  Table table({"N", "X"});
  table.add({"éé", "1st"});
  table.add({"abc", "2nd"});
  table.add({"禁", "3rd"});
  table.add({"e\u0301e\u0301", "4th"});
  std::ostringstream out;
  table.print(out);
  BOOST_TEST(out.str() ==
             "N    X\n"
             "éé   1st\n"
             "abc  2nd\n"
             "禁   3rd\n"
             "e\u0301e\u0301   4th\n");
}

BOOST_AUTO_TEST_CASE(a_long_cell_moves_its_own_row_alone) {
  const std::string longest(60, 'a');
  const std::string longer(61, 'a');
  Table table({"N", "X"});
  table.add({longest, "1st"});
  table.add({longer, "2nd"});
  table.add({"b", "3rd"});
  std::ostringstream out;
  table.print(out);
  BOOST_TEST(out.str() == "N" + std::string(61, ' ') + "X\n" + longest + "  1st\n" + longer +
                              "  2nd\nb" + std::string(61, ' ') + "3rd\n");
}

BOOST_AUTO_TEST_CASE(what_a_terminal_would_obey_is_escaped) {
  Table table({"N", "X"});
  table.add({"a\u009B31m", "\u202Ex"});
  table.add({"\xFF", "a\nb"});
  std::ostringstream out;
  table.print(out);
  BOOST_TEST(out.str() ==
             "N           X\n"
             "a\\u009B31m  \\u202Ex\n"
             "\\xFF        a\\u000Ab\n");
}

BOOST_AUTO_TEST_CASE(so_it_is_in_whatever_a_command_prints) {
  std::ostringstream out;
  PrintableBuffer buffer(out);
  std::ostream printed(&buffer);
  printed << "a\tb\n" << '\x1B' << "[2J \u0085\u202E禁";
  BOOST_TEST(out.str() == "a\tb\n");
  printed << std::flush;
  BOOST_TEST(out.str() == "a\tb\n\\u001B[2J \\u0085\\u202E禁");
  out.setstate(std::ios::failbit);
  BOOST_TEST(!printed.flush());
}

BOOST_AUTO_TEST_CASE(fields_without_a_value_leave_no_blanks_behind) {
  std::ostringstream out;
  print_fields(out, {{"slug", "a"}, {"author", ""}});
  BOOST_TEST(out.str() == "slug    a\nauthor\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
