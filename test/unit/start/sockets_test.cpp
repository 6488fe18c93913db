// The sockets of a 32-bit program in the sandbox of a start, with the C library of this host.
#include <boost/test/unit_test.hpp>

#include <filesystem>

#include "app/base/file.hpp"
#include "app/host/sandbox.hpp"

using namespace goldsmith;

#ifdef SOCKETS_PROBE

namespace {

constexpr const char* kEmulator = "/usr/bin/qemu-i386";
constexpr const char* kExpected =
    "unix: 0\nipv4: 0\nipv6: 0\n"
    "netlink: -1\nvsock: -1\nmptcp: -1\nsctp: -1\nraw: -1\n"
    "socketpair: 0\nsend: 0\nrecv: 0\nurgent: -1\n"
    "bind: 0\ngetsockname: 0\nsendto: 0\nrecvfrom: 0\nbroadcast: 0\ntunnel: -1\n"
    "bind: 0\ngetsockname: 0\nlisten: 0\nconnect: 0\naccept: 0\n"
    "resolver: none\ngot: y\n";

host::ProcessOutcome run(const std::string& program, const std::vector<std::string>& environment) {
  host::Command command;
  command.arguments = {program};
  command.working_directory = "/";
  command.environment = environment;
  host::View view;
  view.profile = host::Profile::engine;
  view.bindings = host::libraries_of_32_bit_programs();
  view.bindings.push_back({SOCKETS_PROBE, "/probe"});
  view.bindings.push_back({STEAM_API, "/libsteam_api.so"});
  return host::run_in_sandbox(command, view);
}

boost::test_tools::assertion_result runs_32_bit_programs(boost::unit_test::test_unit_id /*id*/) {
  const auto outcome = run("/lib/ld-linux.so.2", {});
  // Called alone it explains itself.
  boost::test_tools::assertion_result runs(outcome.output.find("ld-linux") != std::string::npos);
  if (!runs) runs.message() << "no 32-bit programs here: " << outcome.output;
  return runs;
}

boost::test_tools::assertion_result has_emulator(boost::unit_test::test_unit_id /*id*/) {
  boost::test_tools::assertion_result has(std::filesystem::exists(kEmulator));
  if (!has) has.message() << "there is no " << kEmulator;
  return has;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sockets, *boost::unit_test::precondition(runs_32_bit_programs))

BOOST_AUTO_TEST_CASE(a_32_bit_program_may_open_sockets_of_the_internet_and_of_unix) {
  const auto outcome = run("/probe", {"LD_AUDIT=/libsteam_api.so"});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.output == kExpected);
}

BOOST_AUTO_TEST_CASE(a_32_bit_program_in_an_emulator_may_open_the_same_sockets,
                     *boost::unit_test::precondition(has_emulator)) {
  const base::TempDir memory;
  host::Command command;
  command.arguments = {"/emulator", "-E", "LD_LIBRARY_PATH=.", "/probe"};
  command.working_directory = "/memory";
  command.environment = {"TMPDIR=/memory"};
  command.memory_folder = {memory.path(), 64U << 20, 100, true};
  host::View view;
  view.profile = host::Profile::emulator;
  view.has_proc = true;
  view.bindings = host::libraries_of_32_bit_programs();
  for (const char* library : {"/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"}) {
    view.bindings.push_back({.source = library, .target = library, .optional = true});
  }
  view.bindings.push_back({.source = memory.path(), .target = "/memory", .writable = true});
  view.bindings.push_back({kEmulator, "/emulator"});
  view.bindings.push_back({SOCKETS_PROBE, "/probe"});
  const auto outcome = host::run_in_sandbox(command, view);
  BOOST_TEST(outcome.reason == "");
  BOOST_TEST(outcome.output == kExpected);
}

BOOST_AUTO_TEST_CASE(the_call_whose_arguments_are_hidden_ends_a_program_that_makes_it_by_itself) {
  const auto outcome = run("/probe", {});
  BOOST_TEST(host::sandbox_failure(outcome).value_or("").find(host::kRefusedCall) !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
