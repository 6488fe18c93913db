#include "app/cli/help.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/text.hpp"
#include "test/unit/cli/called.hpp"

namespace goldsmith::cli {

BOOST_AUTO_TEST_SUITE(help_texts)

BOOST_AUTO_TEST_CASE(the_version_is_shown_in_front_of_a_command_only) {
  const Outcome outcome = call({"--version"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.out.starts_with("goldsmith "));
  BOOST_TEST(call({"plugin", "list", "--version"}).code == 2);
}

BOOST_AUTO_TEST_CASE(general_help_names_every_noun) {
  const Outcome outcome = call({"--help"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  for (const Noun& noun : nouns()) {
    BOOST_TEST(outcome.out.find("\n  " + noun.name + " ") != std::string::npos, noun.name);
  }
}

BOOST_AUTO_TEST_CASE(help_is_found_at_any_place_of_the_line) {
  const std::string expected = call({"plugin", "import", "--help"}).out;
  BOOST_TEST(expected.starts_with("Usage: goldsmith plugin import PATH… [--accept-secrets]\n"));
  BOOST_TEST(call({"--help", "plugin", "import"}).out == expected);
  BOOST_TEST(call({"plugin", "-h", "import", "some/path"}).out == expected);
}

BOOST_AUTO_TEST_CASE(help_needs_no_configuration) {
  BOOST_TEST(call({"plugin", "list", "--help", "--config", "/nonexistent"}).code == 0);
}

BOOST_AUTO_TEST_CASE(help_for_what_is_no_command_is_a_usage_error) {
  BOOST_TEST(call({"plugin", "fly", "--help"}).code == 2);
}

BOOST_AUTO_TEST_CASE(what_changes_what_clients_see_is_known) {
  std::string verbs;
  for (const Noun& noun : nouns()) {
    for (const Verb& verb : noun.verbs) {
      if (verb.changes) verbs += noun.name + ' ' + verb.name + '\n';
    }
  }
  BOOST_TEST(
      verbs ==
      "db migrate\nplugin import\nplugin publish\nplugin unpublish\nplugin remove\naddon import\n"
      "addon publish\naddon unpublish\naddon remove\ncomponent import\noverlay set\n"
      "overlay import\noverlay remove\nkey create\nkey set\nkey disable\nkey enable\n"
      "key remove\n"
      "setting set\nbundle import\n");
}

BOOST_AUTO_TEST_CASE(what_else_is_recorded_is_known) {
  std::string verbs;
  for (const Noun& noun : nouns()) {
    for (const Verb& verb : noun.verbs) {
      if (verb.is_recorded) verbs += noun.name + ' ' + verb.name + '\n';
    }
  }
  BOOST_TEST(verbs ==
             "db withdraw\nplugin unfollow\nplugin inbox\nlog prune\nrestore restore\n"
             "drain drain\nundrain undrain\n");
}

BOOST_AUTO_TEST_CASE(each_verb_has_sentences_examples_and_every_option_in_its_help) {
  for (const Noun& noun : nouns()) {
    BOOST_TEST(noun.text.ends_with('.'), noun.name);
    for (const Verb& verb : noun.verbs) {
      BOOST_TEST_CONTEXT(noun.name << ' ' << verb.name) {
        const Outcome outcome = call({noun.name, verb.name, "--help"});
        BOOST_TEST(outcome.code == 0);
        BOOST_TEST(outcome.out.starts_with("Usage: " + usage(noun, verb) + "\n"));
        BOOST_TEST(verb.summary.ends_with('.'));
        BOOST_TEST(verb.text.ends_with('.'));
        BOOST_TEST(!verb.examples.empty());
        for (const Option& option : verb.options) {
          BOOST_TEST(option.help.ends_with('.'));
          BOOST_TEST(outcome.out.find("\n  --" + option.name) != std::string::npos);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(each_example_of_one_line_is_a_line_that_parses) {
  std::size_t parsed = 0;
  for (const Noun& noun : nouns()) {
    for (const Verb& verb : noun.verbs) {
      for (const std::string& example : verb.examples) {
        std::istringstream line(example.substr(0, example.find(" |")));
        std::vector<std::string> words;
        for (std::string word; line >> word;) words.push_back(word);
        if (words.front() != "goldsmith" || words.back() == "\\") continue;  // goes on below
        BOOST_TEST_CONTEXT(example) {
          BOOST_TEST(words.at(1) == noun.name);
          const int named = is_command(noun) ? 2 : 3;
          BOOST_TEST(words.at(static_cast<std::size_t>(named) - 1) == verb.name);
          BOOST_CHECK_NO_THROW(parse_arguments(verb, {words.begin() + named, words.end()}));
          ++parsed;
        }
      }
    }
  }
  BOOST_TEST(parsed > 20U);
}

BOOST_AUTO_TEST_CASE(no_line_of_prose_is_wider_than_a_terminal) {
  for (const Noun& noun : nouns()) {
    for (const Verb& verb : noun.verbs) {
      std::istringstream text(help(noun, verb));
      for (std::string line; std::getline(text, line);) {
        const bool wraps = !line.starts_with("Usage:") && !line.starts_with("  goldsmith ");
        if (wraps) BOOST_TEST(base::display_width(line) <= 80U, line);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
