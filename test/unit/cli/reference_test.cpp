// The man page and the completion: complete, and what their readers take for well-formed.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/cli/command.hpp"
#include "app/cli/help.hpp"
#include "app/host/process.hpp"

namespace goldsmith::cli {
namespace {

std::string man_page() {
  return fill_man_page(base::read_file(GOLDSMITH_SOURCE_DIR "/app/cli/goldsmith.1.in"));
}

std::string run(const std::vector<std::string>& arguments, const std::string& input) {
  const base::TempDir folder;
  base::write_atomically(folder.path() / "input", input);
  host::Command command;
  command.arguments = arguments;
  command.arguments.push_back((folder.path() / "input").string());
  command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  const host::ProcessOutcome outcome = host::run_process(command);
  BOOST_TEST((outcome.end == host::ProcessEnd::exited && outcome.code == 0), outcome.output);
  return outcome.output;
}

// What bash offers for the last of `words`.
std::string completed(const std::string& words) {
  return run(
      {"/bin/bash"},
      completion_words() + base::read_file(GOLDSMITH_SOURCE_DIR "/scripts/deb/completion.bash") +
          "COMP_WORDS=(" + words +
          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_goldsmith\necho \"${COMPREPLY[*]}\"\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reference)

BOOST_AUTO_TEST_CASE(the_man_page_names_every_command_and_option) {
  std::string page = man_page();
  for (std::size_t at; (at = page.find("\\-")) != std::string::npos;) page.erase(at, 1);
  BOOST_TEST(page.find('@') == std::string::npos);
  for (const Noun& noun : nouns()) {
    BOOST_TEST(page.find("\n.SS goldsmith " + noun.name + '\n') != std::string::npos, noun.name);
    for (const Verb& verb : noun.verbs) {
      const std::string command =
          "\n\\fBgoldsmith " + noun.name + (is_command(noun) ? "" : ' ' + verb.name) + "\\fR";
      const std::size_t start = page.find(command);
      BOOST_TEST_REQUIRE(start != std::string::npos, command);
      const std::string section = page.substr(start, page.find("\n.RE\n", start) - start);
      for (const Option& option : verb.options) {
        BOOST_TEST(section.find("\n.TP\n\\fB--" + option.name + "\\fR") != std::string::npos,
                   command << " --" << option.name);
      }
    }
  }
  for (const Option& option : global_options()) {
    BOOST_TEST(page.find(".TP\n\\fB--" + option.name + "\\fR") != std::string::npos, option.name);
  }
}

BOOST_AUTO_TEST_CASE(options_and_placeholders_stand_out_in_running_text) {
  const std::string page = man_page();
  for (const char* const text :
       {"\nWith \\fB\\-\\-write\\fR, what compiles", " from \\fIFILE\\fR instead of "}) {
    BOOST_TEST(page.find(text) != std::string::npos, text);
  }
}

BOOST_AUTO_TEST_CASE(troff_warns_of_nothing_in_the_man_page) {
  BOOST_TEST(run({"/usr/bin/groff", "-man", "-Tutf8", "-wall", "-z"}, man_page()) == "");
}

BOOST_AUTO_TEST_CASE(a_template_that_lacks_a_place_is_refused) {
  BOOST_CHECK_THROW(fill_man_page(".SH OPTIONS\n@OPTIONS@\n"), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(what_troff_interprets_is_escaped) {
  BOOST_TEST(escape_roff(".hidden \\n --dry-run pre-release a~b \"x\" SLUG…") ==
             "\\&.hidden \\en \\-\\-dry\\-run pre-release a\\(tib \\(dqx\\(dq SLUG...");
}

BOOST_AUTO_TEST_CASE(completion_offers_every_noun_verb_and_option) {
  std::string names;
  for (const Noun& noun : nouns()) {
    names += noun.name + ' ';
    std::string verbs;
    for (const Verb& verb : noun.verbs) {
      const std::string command =
          "goldsmith " + noun.name + (is_command(noun) ? "" : ' ' + verb.name);
      std::string options;
      for (const Option& option : verb.options) options += "--" + option.name + ' ';
      BOOST_TEST(completion_words().find("[\"" + command + "\"]=\"" + options +
                                         "--help --config\"") != std::string::npos,
                 command);
      verbs += (verbs.empty() ? "" : " ") + verb.name;
    }
    if (!is_command(noun)) {
      BOOST_TEST(completed("goldsmith " + noun.name + " ''") == verbs + '\n', noun.name);
    }
  }
  BOOST_TEST(completed("goldsmith ''") == names + "setup\n");
}

BOOST_AUTO_TEST_CASE(completion_follows_what_stands_on_the_line) {
  BOOST_TEST(completed("goldsmith pl") == "plugin\n");
  BOOST_TEST(completed("goldsmith --config x.conf plugin sh") == "show\n");
  BOOST_TEST(completed("goldsmith plugin list --j") == "--json\n");
  BOOST_TEST(completed("goldsmith doctor --j") == "--json\n");
  BOOST_TEST(completed("goldsmith component prune rehlds --d") == "--dry-run\n");
  BOOST_TEST(completed("goldsmith --v") == "--version\n");
  // Files, which bash offers where this offers nothing.
  BOOST_TEST(completed("goldsmith plugin import ''") == "\n");
  BOOST_TEST(completed("goldsmith --config ''") == "\n");
}

BOOST_AUTO_TEST_CASE(completion_runs_nothing_that_stands_on_the_line) {
  BOOST_TEST(completed("goldsmith '$(echo ran >&2)' 'a[$(echo ran >&2)]' pl") == "plugin\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
