#include "app/host/nice_session.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

using namespace goldsmith::host;

namespace session_niceness {
namespace {

boost::test_tools::assertion_result has_autogroups(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(std::filesystem::exists("/proc/self/autogroup"));
  result.message() << "this kernel has no autogroups";
  return result;
}

bool session_has(int niceness) {
  std::ifstream file("/proc/self/autogroup");
  std::string text;
  std::getline(file, text);
  return text.ends_with(" nice " + std::to_string(niceness));
}

// The result of `look` in a child of this process.
template <typename Look>
int in_a_child(Look look) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(look());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum Seen { never_nice, nice_and_then_not, still_nice, no_session };

// The kernel refuses more than ten changes a second on the whole machine, so it is tried again.
Seen try_to_be_nice(int attempts) {
  bool was_nice = false;
  for (int attempt = 0; attempt < attempts && !was_nice; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(110));
    const NiceSession nice(5);
    was_nice = session_has(5);
  }
  if (!was_nice) return never_nice;
  return session_has(0) ? nice_and_then_not : still_nice;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(session_niceness_tests, *boost::unit_test::precondition(has_autogroups))

BOOST_AUTO_TEST_CASE(the_session_is_nice_while_the_object_lives) {
  BOOST_TEST(in_a_child([] { return ::setsid() < 0 ? no_session : try_to_be_nice(50); }) ==
             nice_and_then_not);
}

BOOST_AUTO_TEST_CASE(a_session_that_the_process_does_not_lead_stays_as_it_is) {
  BOOST_TEST(in_a_child([] { return try_to_be_nice(3); }) == never_nice);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace session_niceness
