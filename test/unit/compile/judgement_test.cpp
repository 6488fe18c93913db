#include "app/compile/compiler.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;

BOOST_AUTO_TEST_SUITE(judgement)

BOOST_AUTO_TEST_CASE(a_compiler_that_can_not_be_started_says_which_library_it_may_lack) {
  goldsmith::host::ProcessOutcome outcome;
  outcome.end = goldsmith::host::ProcessEnd::exited;
  outcome.code = 1;
  outcome.output = "bwrap: execvp /tc/amxxpc: No such file or directory\n";
  const std::string reason = broken_compiler(outcome, patient()).value_or("none");
  BOOST_TEST(contains(reason, "apt-get install libc6-i386"), reason);
}

BOOST_AUTO_TEST_SUITE_END()
