#include <boost/test/unit_test.hpp>

#include "app/pawn/facts.hpp"
#include "app/pawn/prose.hpp"

using namespace goldsmith;

BOOST_AUTO_TEST_SUITE(prose)

BOOST_AUTO_TEST_CASE(a_comment_gives_its_prose_alone) {
  const pawn::Prose prose = pawn::prose_of_text(
      "\n**********\n *  My plugin v1.0\n *  by Someone\n *\n"
      " * Description: Shows the time left, and\n * how many rounds were played. It needs no "
      "setup.\n *\n * Players with <b> see *more* of it than others do.\n *\n * Cvars:\n"
      " * my_on 1 - turns the thing on for everybody\n *\n * Changelog:\n"
      " * The first release that was shown to anybody.\n");
  BOOST_TEST(prose.summary == "Shows the time left, and how many rounds were played.");
  BOOST_TEST(prose.description ==
             "Shows the time left, and how many rounds were played. It needs no setup.\n\n"
             "Players with \\<b\\> see \\*more\\* of it than others do.");
}

BOOST_AUTO_TEST_CASE(two_spaces_behind_a_sentence_are_no_table) {
  const pawn::Prose prose = pawn::prose_of_text(
      " * Lets a team have tickets.\n *  Each death takes one.  Without one, it\n *  stays "
      "dead.\n");
  BOOST_TEST(prose.summary == "Lets a team have tickets.");
  BOOST_TEST(prose.description ==
             "Lets a team have tickets. Each death takes one. Without one, it stays dead.");
  BOOST_TEST(
      pawn::prose_of_text("Shows the time that is left.\nname of it  what it is\n").description ==
      "");
}

BOOST_AUTO_TEST_CASE(prose_goes_on_behind_a_paragraph_that_all_plugins_have) {
  const std::string mod = "Lets everybody play it as a death match.\n\n";
  const pawn::Prose rest = pawn::without_first_paragraph(pawn::prose_of_text(
      mod + "Shows who_has won the round. And more.\n\nMost players see it.\n"));
  BOOST_TEST(rest.summary == "Shows who_has won the round.");
  BOOST_TEST(rest.description ==
             "Shows who\\_has won the round. And more.\n\nMost players see it.");
  for (const std::string more : {"", "A title of four words\n"}) {
    const pawn::Prose none = pawn::without_first_paragraph(pawn::prose_of_text(mod + more));
    BOOST_TEST(none.summary == "", more);
    BOOST_TEST(none.description == "", more);
  }
}

BOOST_AUTO_TEST_CASE(a_description_begins_behind_its_colon) {
  BOOST_TEST(pawn::prose_of_text("My plugin\nDescription:Shows the time that is left.\n").summary ==
             "Shows the time that is left.");
}

BOOST_AUTO_TEST_CASE(what_is_not_certainly_a_sentence_gives_nothing) {
  for (const std::string text :
       {"", "My plugin", "https://example.com/a plugin that does it all.", "A title of four words",
        "This program is free software; you can redistribute it\nand/or modify it.",
        "MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the\n",
        "Uncomment this line to have more of it.", "rest of a sentence that began elsewhere.",
        "AMX Mod X plugin that is a script.", "#### ## ## #### @@ ####.",
        "Takes $10,000 from each.", "Shows the time\tto all players now.",
        "1 line that begins with a number here.", "Run. It needs no setup at all here.",
        "a_cvar that is one of many here.", "Has a\x01 control character in the text."}) {
    const pawn::Prose prose = pawn::prose_of_text(text);
    BOOST_TEST(prose.summary == "", text);
    BOOST_TEST(prose.description == "", text);
  }
  BOOST_TEST(pawn::prose_of_text("It is " + std::string(200, 'x') + " too long.").summary == "");
  BOOST_TEST(pawn::prose_of_text(std::string(1 << 20, '*')).summary == "");
}

BOOST_AUTO_TEST_CASE(markdown_gives_its_first_paragraph) {
  const std::string text =
      "# A plugin\r\n\r\n![shot](a.png)\r\n\r\nKicks [idle](http://a.example/) players, **all** of "
      "them. Not bots.\r\n\r\n- `a_on`: on\r\n";
  const pawn::Prose prose = pawn::prose_of_markdown(text);
  BOOST_TEST(prose.summary == "Kicks idle players, all of them.");
  BOOST_TEST(prose.description.find('\r') == std::string::npos);
  BOOST_TEST(prose.description.starts_with("# A plugin\n"));
  BOOST_TEST(pawn::prose_of_markdown("# A\n\n| a | b | c | d |\n").summary == "");
}

BOOST_AUTO_TEST_CASE(only_the_comment_before_all_else_counts) {
  const std::string code = "#include <amxmodx>\n";
  const std::string comment = "// It does what it says.\n";
  BOOST_TEST(pawn::read_facts(comment + code, {}).prose.summary == "It does what it says.");
  BOOST_TEST(pawn::read_facts(code + comment, {}).prose.summary == "");
}

BOOST_AUTO_TEST_CASE(what_goes_on_in_the_middle_of_a_sentence_is_no_summary) {
  for (const char* rest : {"and is added to what a player has.", "и прибавляется к здоровью.",
                           "\u00E9tait pour tous les joueurs."}) {
    BOOST_TEST(pawn::prose_of_text(rest).summary == "", rest);
  }
  for (const char* whole : {"\u00C9quipe tous les joueurs ici.", "Это плагин для всех."}) {
    BOOST_TEST(pawn::prose_of_text(whole).summary != "", whole);
  }
}

BOOST_AUTO_TEST_CASE(a_readme_may_be_in_a_code_page_but_no_dictionary) {
  BOOST_TEST(pawn::prose_of_readme("a.txt", "\xEF\xBB\xBFIt does what it says.").summary ==
             "It does what it says.");
  BOOST_TEST(pawn::prose_of_readme("a.txt",
                                   "\xDD\xF2\xEE \xEF\xEB\xE0\xE3\xE8\xED \xE4\xEB\xFF \xE2\xF1"
                                   "\xE5\xF5.")
                 .summary == "Это плагин для всех.");
  BOOST_TEST(pawn::prose_of_readme("a.txt", "[en]\nIt does what it says.").summary == "");
}

BOOST_AUTO_TEST_SUITE_END()
