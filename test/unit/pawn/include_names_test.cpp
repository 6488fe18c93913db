#include "app/pawn/includes.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith::pawn;
using Names = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(include_names)

BOOST_AUTO_TEST_CASE(every_form_that_the_compilers_read_is_found) {
  BOOST_TEST((included_names("#include <amxmodx>\r\n"
                             "  #include < fun >\n"
                             "\t#tryinclude \"mod/Menus.inl\"\n"
                             "# include <xs>\n"
                             "#include amxmisc  \n"
                             "#include <last>") ==
              Names{"amxmodx", "fun", "mod/Menus.inl", "xs", "amxmisc", "last"}));
}

BOOST_AUTO_TEST_CASE(an_include_that_is_named_twice_counts_once) {
  BOOST_TEST(
      (included_names("#include <a>\n#include \"b\"\n#tryinclude <a>\n") == Names{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(lines_that_are_no_include_name_no_file) {
  BOOST_TEST(included_names("").empty());
  BOOST_TEST(included_names("#").empty());
  BOOST_TEST(included_names("#include").empty());
  BOOST_TEST(included_names("#include <>\n#include \"\"\n#include <\n#include   ").empty());
  BOOST_TEST(
      included_names("// #include <a>\nnew x = 1; #include <b>\n#define include <c>\n").empty());
}

BOOST_AUTO_TEST_CASE(comments_and_lines_that_go_on_are_those_of_the_compilers) {
  BOOST_TEST((included_names("/*\n#include <a>\n*/\n"
                             "/* b */ #include <b> // of the plugin\n"
                             "#include <c> /*\n#include <d>\n*/\n"
                             "#define TWO one \\\n#include <e>\n"
                             "#if 0\n#include <f>\n#endif\n"
                             "#include <g\\\nh>\n") == Names{"b", "c", "f", "g\\"}));
}

BOOST_AUTO_TEST_CASE(a_source_of_nothing_else_is_bounded) {
  std::string source;
  for (int i = 0; i < 100'000; ++i) source += "#include<" + std::to_string(i) + "\n";
  BOOST_TEST(included_names(source).size() == 500U);
  BOOST_TEST(included_names(std::string(1U << 20, '#')).empty());
}

BOOST_AUTO_TEST_SUITE_END()
