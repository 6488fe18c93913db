// What is wrong with a line, and what the command says of it. Nothing here reaches a database.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "test/unit/cli/called.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

// The line ends in code 2, with this one line on standard error and nothing on standard output.
void check_usage(const std::vector<std::string>& arguments, const std::string& problem) {
  const Outcome outcome = call(arguments);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.out == "");
  BOOST_TEST(outcome.err == "goldsmith: " + problem + "\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(usage_errors)

BOOST_AUTO_TEST_CASE(a_line_without_a_command_points_to_help) {
  check_usage({}, "no command given; see \"goldsmith --help\"");
}

BOOST_AUTO_TEST_CASE(a_noun_without_a_verb_lists_its_verbs) {
  check_usage(
      {"db"},
      "the command \"db\" needs a verb: migrate, status, withdraw; see \"goldsmith db --help\"");
}

BOOST_AUTO_TEST_CASE(a_misspelt_noun_verb_or_option_gets_the_nearest_one) {
  check_usage({"plugn", "list"},
              "unknown command \"plugn\" (did you mean \"plugin\"?); see \"goldsmith --help\"");
  check_usage({"plugin", "imort", "x"},
              "unknown command \"plugin imort\" (did you mean \"import\"?); see \"goldsmith "
              "plugin --help\"");
  check_usage({"plugin", "list", "--jsn"},
              "unknown option \"--jsn\" (did you mean \"--json\"?); see \"goldsmith plugin list "
              "--help\"");
}

BOOST_AUTO_TEST_CASE(what_resembles_nothing_gets_the_whole_list) {
  check_usage(
      {"db", "xyzzyx"},
      "unknown command \"db xyzzyx\"; allowed are migrate, status or withdraw; see \"goldsmith db "
      "--help\"");
  check_usage({"db", "migrate", "--force"},
              "unknown option \"--force\"; see \"goldsmith db migrate --help\"");
  check_usage({"--force", "db", "migrate"},
              "unknown option \"--force\" before the command; see \"goldsmith --help\"");
}

BOOST_AUTO_TEST_CASE(an_option_is_never_abbreviated) {
  check_usage({"component", "mirror", "x", "--vers", "1", "--archive", "a"},
              "unknown option \"--vers\"; see \"goldsmith component mirror --help\"");
}

BOOST_AUTO_TEST_CASE(missing_and_surplus_arguments_are_named) {
  check_usage({"plugin", "import"}, "PATH is missing; see \"goldsmith plugin import --help\"");
  check_usage({"plugin", "show", "a", "b"},
              "unexpected argument \"b\"; see \"goldsmith plugin show --help\"");
  check_usage({"component", "mirror", "x", "--archive", "a"},
              "--archive needs --version V; an archive does not name its version; see "
              "\"goldsmith component mirror --help\"");
  check_usage({"component", "mirror"},
              "SLUG is missing; --all mirrors every component that has an upstream; see "
              "\"goldsmith component mirror --help\"");
  check_usage({"component", "mirror", "x", "--archive", "a", "--version"},
              "the required argument for option '--version' is missing; see \"goldsmith component "
              "mirror --help\"");
  check_usage({"component", "mirror", "x", "--version", "1", "--version", "2", "--archive", "a"},
              "--version is given twice; see \"goldsmith component mirror --help\"");
}

BOOST_AUTO_TEST_CASE(options_that_contradict_each_other_are_named) {
  const std::string hint = "; see \"goldsmith component mirror --help\"";
  const std::vector<std::vector<std::string>> contradictions = {
      {"--archive", "a", "--all"}, {"--archive", "a", "--check"},   {"--archive", "a", "--dry-run"},
      {"--all", "--version", "1"}, {"--all", "--released-at", "x"}, {"--check", "--version", "1"},
      {"--check", "--replace"},    {"--check", "--dry-run"}};
  for (const std::vector<std::string>& options : contradictions) {
    std::vector<std::string> words = {"component", "mirror"};
    words.insert(words.end(), options.begin(), options.end());
    const auto second = std::find_if(options.begin() + 1, options.end(),
                                     [](const auto& word) { return word.starts_with("--"); });
    check_usage(words, options.front() + " and " + *second + " can't be combined" + hint);
  }
  check_usage({"component", "mirror", "x", "--all"}, "SLUG and --all can't be combined" + hint);
  check_usage({"component", "mirror", "x", "--json"}, "--json needs --check" + hint);
}

BOOST_AUTO_TEST_CASE(bad_values_are_named_with_what_is_allowed) {
  check_usage(
      {"plugin", "show", "Bad_Slug"},
      "SLUG: \"Bad_Slug\" is not a valid slug; allowed are lower-case letters and digits in groups "
      "joined by single hyphens, at most 64 characters; see \"goldsmith plugin show "
      "--help\"");
  check_usage(
      {"plugin", "publish", "afk", "1/2"},
      "VERSION: \"1/2\" is not a valid version; allowed are letters, digits and . _ + ~ - after a "
      "first letter or digit, at most 64 characters; see \"goldsmith plugin publish "
      "--help\"");
  check_usage(
      {"component", "mirror", "x", "--version", "1", "--archive", "a", "--released-at",
       "2024-02-30"},
      "--released-at: \"2024-02-30\" is not a valid time; allowed are YYYY-MM-DD HH:MM:SS or ISO "
      "8601, UTC; see \"goldsmith component mirror --help\"");
  check_usage(
      {"overlay", "set", "a.cfg", "--file", "f", "--position", "1000001"},
      "--position: \"1000001\" is not a number from 0 to 1000000; see \"goldsmith overlay set "
      "--help\"");
  check_usage({"key", "disable", "three"},
              "ID: \"three\" is not a number from 1 to 2147483647; see \"goldsmith key disable "
              "--help\"");
  check_usage({"component", "show", "a", "--version", "1/2"},
              "--version: \"1/2\" is not a valid version; allowed are letters, digits and . _ + ~ "
              "- after a first letter or digit, at most 64 characters; see \"goldsmith component "
              "show --help\"");
  check_usage({"log", "downloads", "--since", "yesterday"},
              "--since: \"yesterday\" is not a valid time; allowed are YYYY-MM-DD HH:MM:SS or ISO "
              "8601, UTC; see \"goldsmith log downloads --help\"");
  check_usage({"overlay", "remove", "../a.cfg"},
              "PATH: \"../a.cfg\" is not a valid path in a server; allowed are paths relative to "
              "the server's root, like cstrike/game.cfg; see \"goldsmith overlay remove --help\"");
}

// Decision O5.
BOOST_AUTO_TEST_CASE(a_negative_number_is_refused_as_a_value_with_its_bounds) {
  check_usage({"setting", "set", "anonymous_per_minute", "-1"},
              "anonymous_per_minute: \"-1\" is not a whole number from 0 to 10000000; see "
              "\"goldsmith setting set --help\"");
}

BOOST_AUTO_TEST_CASE(configuration_on_the_line_is_checked_before_anything_is_done) {
  check_usage({"plugin", "list", "--database.port=99999"},
              "--database.port is \"99999\" but must be 1 to 65535; see \"goldsmith --help\"");
  check_usage({"plugin", "list", "--depot"},
              "--depot needs a value: --depot=VALUE; see \"goldsmith --help\"");
  check_usage({"--config"}, "--config needs a FILE; see \"goldsmith --help\"");
}

BOOST_AUTO_TEST_CASE(a_password_on_the_line_is_never_shown) {
  check_usage({"plugin", "list", "--database.password=hunter\x01"},
              "--database.password must be at most 255 characters; see \"goldsmith --help\"");
}

BOOST_AUTO_TEST_CASE(an_error_is_one_line_whatever_the_arguments_hold) {
  const Outcome outcome = call({"plugin\ngoldsmith: all is well\x1b[2J", "list"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  BOOST_TEST(outcome.err.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_configuration_fails_with_what_to_do) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--config", "/nonexistent/g.conf", "plugin", "list"},
        std::vector<std::string>{"plugin", "--config=/nonexistent/g.conf", "list"},
        std::vector<std::string>{"plugin", "list", "--config", "/nonexistent/g.conf"}}) {
    const Outcome outcome = call(arguments);
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.err ==
               "goldsmith: /nonexistent/g.conf: no such configuration file; --config FILE names "
               "another one\n");
  }
}

BOOST_AUTO_TEST_CASE(operator_conf_beside_the_configuration_overrides_it) {
  const base::TempDir folder;
  base::write_atomically(folder.path() / "g.conf", "toolchains = /nonexistent/a\n");
  const std::vector<std::string> list = {"toolchain", "list", "--json", "--config",
                                         (folder.path() / "g.conf").string()};
  BOOST_TEST(call(list).out.find("/nonexistent/a/1.10") != std::string::npos);
  base::write_atomically(folder.path() / "operator.conf", "toolchains = /nonexistent/b\n");
  BOOST_TEST(call(list).out.find("/nonexistent/b/1.10") != std::string::npos);
  std::vector<std::string> overridden = list;
  overridden.push_back("--toolchains=/nonexistent/c");
  BOOST_TEST(call(overridden).out.find("/nonexistent/c/1.10") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_operator_conf_that_only_root_may_read_is_no_failure_for_others) {
  const base::TempDir folder;
  fs::permissions(folder.path(), static_cast<fs::perms>(0755));
  const fs::path conf = folder.path() / "g.conf";
  base::write_atomically(conf, "archive_cache = /nonexistent/a\nartefact_cache = /nonexistent/b\n");
  base::write_atomically(folder.path() / "operator.conf", "no = sense\n", 0600);
  const pid_t child = ::fork();
  if (child == 0) {
    // Another than root owns the file here, and so may read it.
    if (::geteuid() != 0) ::_exit(kDone);
    const bool is_other = ::setuid(65534) == 0;
    ::_exit(is_other ? call({"cache", "stats", "--config", conf.string()}).code : kFailed);
  }
  int status = 0;
  BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_bad_operator_conf_is_named_with_its_line) {
  const base::TempDir folder;
  base::write_atomically(folder.path() / "g.conf", "");
  base::write_atomically(folder.path() / "operator.conf", "\ntoolchain = /x\n");
  const Outcome outcome =
      call({"toolchain", "list", "--config", (folder.path() / "g.conf").string()});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err.starts_with("goldsmith: " + folder.path().string() +
                                     "/operator.conf line 2: there is no option \"toolchain\""));
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_a_failure_and_no_usage_error) {
  const base::TempDir folder;
  base::write_atomically(folder.path() / "g.conf",
                         "[database]\nsocket = " + folder.path().string() + "/sock\n");
  const Outcome outcome = call({"plugin", "list", "--config", (folder.path() / "g.conf").string()});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.out == "");
  BOOST_TEST(outcome.err.starts_with("goldsmith: database: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
