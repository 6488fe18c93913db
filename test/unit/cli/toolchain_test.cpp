// The compilers as the operator sees them.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/host/account.hpp"
#include "test/support/processes.hpp"
#include "test/unit/cli/called.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

struct Host {
  Host() {
    base::write_atomically(folder.path() / "g.conf",
                           "toolchains = " + toolchains.string() +
                               "\nincludes = " + (folder.path() / "include").string() +
                               "\ncompile.cpu_seconds = 60\ncompile.wall_clock_ms = 120000\n");
  }
  void install(const std::string& line) const {
    fs::create_directories(toolchains);
    fs::copy(fs::path(STANDIN_TOOLCHAINS) / line, toolchains / line, fs::copy_options::recursive);
  }
  Outcome check(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"toolchain", "check"});
    words.insert(words.end(), {"--config", (folder.path() / "g.conf").string()});
    return call(words);
  }

  base::TempDir folder;
  fs::path toolchains = folder.path() / "toolchains";
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The sandbox leaves less room for addresses than ThreadSanitizer takes.
#ifdef __has_feature
constexpr bool kRunsCompilers = !__has_feature(thread_sanitizer);
#else
constexpr bool kRunsCompilers = true;
#endif

}  // namespace

BOOST_FIXTURE_TEST_SUITE(toolchains, Host, *boost::unit_test::enable_if<kRunsCompilers>())

BOOST_AUTO_TEST_CASE(toolchains_that_work_are_shown_and_others_may_be_missing) {
  install("1.9");
  install("1.10");
  fs::create_directories(folder.path() / "include/1.9");
  base::write_atomically(folder.path() / "include/1.9/reapi.inc", "");
  const Outcome outcome = check();
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(contains(outcome.out, "toolchain  1.8.2\nstate      not installed\n"), outcome.out);
  BOOST_TEST(contains(outcome.out, "includes     " + folder.path().string() +
                                       "/include/1.9: 1 file\nprobe        compiled in "),
             outcome.out);
  BOOST_TEST(contains(outcome.out, "/include/1.10: none\n"), outcome.out);
  BOOST_TEST(contains(outcome.out, "\ncompiler     "), outcome.out);
  BOOST_TEST(check({"1.9", "1.10"}).code == 0);
}

BOOST_AUTO_TEST_CASE(one_that_is_broken_is_a_failure_that_names_cause_and_way_out) {
  install("1.9");
  install("1.10");
  fs::remove(toolchains / "1.9/amxxpc32.so");
  const Outcome outcome = check();
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err == "goldsmith: 1 toolchain does not work\n");
  BOOST_TEST(contains(outcome.out, "problem    " + toolchains.string() +
                                       "/1.9/amxxpc32.so: there is no such file "
                                       "(goldsmith-install-toolchain 1.9 installs it)\n"),
             outcome.out);
  BOOST_TEST(check({"1.10"}).code == 0);
}

BOOST_AUTO_TEST_CASE(a_missing_one_is_a_failure_when_it_is_named_or_when_all_are) {
  BOOST_TEST(check().err == "goldsmith: no toolchain is installed, so no plugin can be compiled\n");
  BOOST_TEST(check().code == 1);
  install("1.9");
  BOOST_TEST(check({"1.10"}).err == "goldsmith: 1 toolchain does not work\n");
  BOOST_TEST(check({"1.9"}).code == 0);
}

// The other user may not enter the folder of the toolchain here.
BOOST_AUTO_TEST_CASE(a_compiler_that_root_starts_runs_as_another_user) {
  install("1.9");
  base::write_atomically(toolchains / "1.9/include/amxmisc.inc", "#pragma standin spin\n");
  const pid_t command = ::fork();
  if (command == 0) ::_exit(check({"1.9", "--compile.cpu_seconds=5"}).code);
  pid_t compiler = 0;
  BOOST_TEST(test::within_a_minute(
      [&] { return (compiler = test::find_descendant(command, "amxxpc")) != 0; }));
  const auto account = host::unprivileged_account(host::kBuildAccount);
  BOOST_TEST(account.has_value() == (::geteuid() == 0));
  BOOST_TEST(test::users_of(compiler) ==
             test::four_times(account ? account->account.user : ::geteuid()));
  ::kill(command, SIGTERM);
  ::waitpid(command, nullptr, 0);
  BOOST_TEST(test::within_a_minute([&] { return ::kill(compiler, 0) != 0; }));
}

BOOST_AUTO_TEST_CASE(what_is_no_toolchain_is_a_usage_error_that_lists_them) {
  const Outcome outcome = check({"1.11"});
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(
      outcome.err ==
      "goldsmith: TOOLCHAIN: \"1.11\" is not a toolchain; allowed are 1.8.2, 1.9 or 1.10; see "
      "\"goldsmith toolchain check --help\"\n");
}

BOOST_AUTO_TEST_CASE(as_json_all_fields_are_there_whatever_the_state) {
  install("1.9");
  const json::Value listing = json::parse(check({"--json"}).out);
  BOOST_TEST_REQUIRE(listing.as_array()->size() == 3U);
  for (const json::Value& each : *listing.as_array()) {
    for (const std::string field : {"toolchain", "state", "folder", "compiler", "fingerprint",
                                    "includes", "compile_ms", "problem"}) {
      BOOST_TEST(each.as_object()->contains(field), field);
    }
  }
  const json::Object& found = *listing.as_array()->at(1).as_object();
  BOOST_TEST((found.at("state") == json::Value("works")));
  BOOST_TEST(found.at("fingerprint").as_string()->size() == 64U);
  BOOST_TEST(found.at("includes").as_array()->size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli
