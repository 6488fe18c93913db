#include "app/unpack/arguments.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>
#include <string>

using namespace goldsmith::unpack;

namespace {

std::string open_number() { return std::to_string(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(arguments)

BOOST_AUTO_TEST_CASE(a_job_has_its_files_rules_and_limits) {
  const std::string archive = open_number();
  const std::string spill = open_number();
  const std::string output = open_number();
  const std::string origins = open_number();
  const Job job = parse_arguments(
      {"--entries",    "3",      "--unpacked-bytes", "5",     "--ratio",   "7",
       "--path-bytes", "9",      "--map-from",       "",      "--map-to",  "--to",
       "--map-file",   "*.so",   "--map-to",         "a/",    "--drop",    "*.txt",
       "--executable", "run",    "--archive",        archive, "--spill",   spill,
       "--name",       "--name", "--output",         output,  "--origins", origins});
  BOOST_TEST(!job.any_names);
  BOOST_TEST(job.limits.entries == 3U);
  BOOST_TEST(job.limits.unpacked_bytes == 5U);
  BOOST_TEST(job.limits.ratio == 7U);
  BOOST_TEST(job.limits.path_bytes == 9U);
  const std::vector<goldsmith::domain::PathMap> map = {{"", "--to"}, {"*.so", "a/", true}};
  BOOST_TEST((job.rules.map == map));
  BOOST_TEST(job.rules.drop == std::vector<std::string>{"*.txt"});
  BOOST_TEST(job.rules.executables == std::vector<std::string>{"run"});
  BOOST_TEST_REQUIRE(job.inputs.size() == 1U);
  BOOST_TEST(job.inputs[0].archive.get() == std::stoi(archive));
  BOOST_TEST(job.inputs[0].spill.get() == std::stoi(spill));
  BOOST_TEST(job.inputs[0].name == "--name");
  BOOST_TEST(job.output.get() == std::stoi(output));
  BOOST_TEST(job.origins.get() == std::stoi(origins));
}

BOOST_AUTO_TEST_CASE(unknown_arguments_of_unpack_are_refused) {
  using Words = std::vector<std::string_view>;
  for (const Words& words :
       {Words{}, Words{"--entries"}, Words{"--entries", "x"}, Words{"--entries", "-1"},
        Words{"--map-to", "a"}, Words{"--spill", "1000"}, Words{"--name", "a"},
        Words{"--nonsense", "1"}}) {
    BOOST_CHECK_THROW(parse_arguments(words), std::invalid_argument);
  }
  const std::string output = open_number();
  BOOST_CHECK_THROW(parse_arguments({"--output", output}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
