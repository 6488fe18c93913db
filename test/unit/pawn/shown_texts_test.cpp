// Texts that players read (decision P31).

#include <boost/test/unit_test.hpp>
#include <string>

#include "app/pawn/facts.hpp"
#include "app/pawn/named_files.hpp"

namespace goldsmith::pawn {
namespace {

bool is_shown(std::string_view code) { return shows_foreign_text(Source(code)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(texts_that_players_read)

BOOST_AUTO_TEST_CASE(what_is_printed_is_read) {
  BOOST_TEST(is_shown("f() { client_print(0, print_chat, \"\xCF\xF0\xEE\xE1\xE0\") }"));
  BOOST_TEST(is_shown("f() { show(fmt(\"%s\", \"Проба\")) }"));
  BOOST_TEST(!is_shown("f() { client_print(0, print_chat, \"Hello\") } // \xCF\xF0\xEE\xE1\xE0"));
}

BOOST_AUTO_TEST_CASE(what_registers_logs_and_names_files_is_not) {
  for (const std::string call :
       {"register_plugin(\"N\", \"1\", \"\xE9\")", "log_amx(\"%s\", \"\xE9\")",
        "precache_sound(\"caf\xE9.wav\")", "server_print(\"\xE9\")", "log_amx(fmt(\"\xE9\"))"}) {
    BOOST_TEST(!is_shown("f() { " + call + " }"), call);
    BOOST_TEST(is_shown("f() { " + call + "; say(\"\xE9\") }"), call);
  }
}

BOOST_AUTO_TEST_CASE(a_name_counts_where_it_is_used) {
  for (const std::string declared : {"#define WHO \"\xE9\"\n", "new const WHO[] = \"\xE9\";\n",
                                     "static const WHO[8] = \"\xE9\";\n"}) {
    BOOST_TEST(!is_shown(declared + "f() { register_plugin(\"N\", \"1\", WHO) }"), declared);
    BOOST_TEST(is_shown(declared + "f() { register_plugin(\"N\", \"1\", WHO); say(WHO) }"),
               declared);
    BOOST_TEST(!is_shown(declared), declared);
  }
  BOOST_TEST(is_shown("new const ALL[][] = { \"a\", \"\xE9\" };\n"));
  BOOST_TEST(is_shown("f() { new text[8] = \"\xE9\" }"));
}

BOOST_AUTO_TEST_CASE(deep_brackets_and_what_is_cut_are_bounded) {
  std::string deep = "f() { ";
  for (int i = 0; i < 100'000; ++i) deep += "g(";
  BOOST_TEST(is_shown(deep + "\"\xE9\""));
  BOOST_TEST(!is_shown("f() { log_amx(\"a"));
}

BOOST_AUTO_TEST_CASE(it_is_known_with_what_a_source_names) {
  BOOST_TEST(named_files("f() { say(\"\xE9\") }").shows_foreign_text);
  BOOST_TEST(!named_files("f() { say(\"e\") }").shows_foreign_text);
}

BOOST_AUTO_TEST_CASE(a_scan_notes_the_code_page) {
  const auto notes = [](std::string_view code) { return read_facts(code, {}).notes; };
  BOOST_TEST((notes("f() say(\"\xCF\xF0\xEE\xE1\xE0 \xF2\xE5\xEA\xF1\xF2\xE0\")") ==
              std::vector<std::string>{"players read wrong letters: the texts are in windows-1251, "
                                       "while the game shows UTF-8"}));
  BOOST_TEST(notes("f() say(\"Проба\")").empty());
  BOOST_TEST(notes("f() log_amx(\"\xCF\xF0\xEE\xE1\xE0 \xF2\xE5\xEA\xF1\xF2\xE0\")").empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::pawn
