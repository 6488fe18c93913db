#include "app/host/sandbox.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/host/user_namespaces.hpp"

using namespace goldsmith::host;
using goldsmith::host::ProcessEnd;
using goldsmith::host::ProcessOutcome;

namespace {

ProcessOutcome exited(int code, std::string output) {
  ProcessOutcome outcome;
  outcome.end = ProcessEnd::exited;
  outcome.code = code;
  outcome.output = std::move(output);
  return outcome;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string failure_of(const ProcessOutcome& outcome) {
  return sandbox_failure(outcome).value_or("none");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sandboxes)

BOOST_AUTO_TEST_CASE(a_signal_is_reported_as_such_or_as_an_exit_code_above_128) {
  for (const auto& [code, number] : {std::pair{0, 0}, {1, 0}, {128, 0}, {129, 1}, {159, 31}}) {
    BOOST_TEST(signal_of(exited(code, "")) == number);
  }
  ProcessOutcome outcome;
  outcome.code = 137;
  BOOST_TEST(signal_of(outcome) == 0);
  outcome.end = ProcessEnd::signalled;
  outcome.code = 9;
  BOOST_TEST(signal_of(outcome) == 9);
}

BOOST_AUTO_TEST_CASE(a_bubblewrap_that_is_not_there_says_which_package_has_it) {
  ProcessOutcome outcome;
  outcome.reason = "/usr/bin/bwrap: No such file or directory";
  BOOST_TEST(failure_of(outcome) ==
             "/usr/bin/bwrap: No such file or directory (apt-get install bubblewrap)");
}

BOOST_AUTO_TEST_CASE(forbidden_namespaces_say_so) {
  for (const char* said :
       {"bwrap: No permissions to create new namespace, likely because the kernel does not allow "
        "non-privileged user namespaces.\nSee <https://deb.li/bubblewrap>\n",
        "bwrap: Creating new namespace failed: Operation not permitted\n",
        "bwrap: setting up uid map: Permission denied\n",
        "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n"}) {
    const std::string failure = failure_of(exited(1, said));
    BOOST_TEST(contains(failure, "(user namespaces are not allowed here"), failure);
    BOOST_TEST(!contains(failure, "\n"), failure);
  }
  ProcessOutcome outcome;
  for (const char* reason : {"unshare: Operation not permitted", "mount: Permission denied",
                             "unshare: No space left on device"}) {
    outcome.reason = reason;
    BOOST_TEST(failure_of(outcome).starts_with(std::string(reason) + " (user namespaces "));
  }
  outcome.reason = "mount: No such file or directory";
  BOOST_TEST(failure_of(outcome) == "none");
}

BOOST_AUTO_TEST_CASE(the_setting_of_this_host_that_forbids_them_is_named) {
  const goldsmith::base::TempDir settings;
  const auto set = [&](const std::string& name, const char* value) {
    std::filesystem::create_directories((settings.path() / name).parent_path());
    goldsmith::base::write_atomically(settings.path() / name, value);
  };
  const auto said = [&] { return what_forbids_user_namespaces(settings.path()); };
  BOOST_TEST(contains(said(), "RestrictNamespaces="));
  set("kernel/apparmor_restrict_unprivileged_userns", "0\n");
  set("kernel/unprivileged_userns_clone", "1\n");
  set("user/max_user_namespaces", "63000\n");
  BOOST_TEST(contains(said(), "RestrictNamespaces="));
  set("user/max_user_namespaces", "0\n");
  BOOST_TEST(contains(said(), "sysctl user.max_user_namespaces = 0; raise it"));
  set("kernel/unprivileged_userns_clone", "0\n");
  BOOST_TEST(contains(said(), "sysctl kernel.unprivileged_userns_clone = 0; set it to 1"));
  set("kernel/apparmor_restrict_unprivileged_userns", "1\n");
  BOOST_TEST(contains(said(), "sysctl kernel.apparmor_restrict_unprivileged_userns = 1; AppArmor"));
}

BOOST_AUTO_TEST_CASE(a_hidden_system_call_says_which_setting_of_the_service_hides_it) {
  const std::string failure =
      failure_of(exited(1, "bwrap: Can't open source /opt/goldsmith: Function not implemented\n"));
  BOOST_TEST(contains(failure, "RestrictSUIDSGID="), failure);
}

BOOST_AUTO_TEST_CASE(what_the_compiler_says_is_no_failure_of_the_sandbox) {
  BOOST_TEST(failure_of(exited(1, "AMX Mod X Compiler\nbwrap: no\n")) == "none");
  BOOST_TEST(failure_of(exited(0, "bwrap: no\n")) == "none");
  BOOST_TEST(failure_of(exited(134, "")) == "none");
  ProcessOutcome killed;
  killed.end = ProcessEnd::wall_clock;
  killed.output = "bwrap: no\n";
  BOOST_TEST(failure_of(killed) == "none");
}

BOOST_AUTO_TEST_SUITE_END()
