#include "app/cli/table.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

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

BOOST_AUTO_TEST_CASE(letters_outside_ascii_take_one_column_each) {
  Table table({"N", "X"});
  table.add({"éé", "1st"});
  table.add({"abc", "2nd"});
  std::ostringstream out;
  table.print(out);
  BOOST_TEST(out.str() ==
             "N    X\n"
             "éé   1st\n"
             "abc  2nd\n");
}

BOOST_AUTO_TEST_CASE(fields_without_a_value_leave_no_blanks_behind) {
  std::ostringstream out;
  print_fields(out, {{"slug", "a"}, {"author", ""}});
  BOOST_TEST(out.str() == "slug    a\nauthor\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
