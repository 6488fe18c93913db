// A scratch disk without room: the compiler is unavailable then, whatever it made of the source.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "app/compile/compiler.hpp"
#include "test/support/tiny_disk.hpp"
#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith;
using namespace goldsmith::compile;

namespace {

const boost::unit_test::precondition kMayMount(may_mount);

void fill(const std::filesystem::path& folder) {
  std::ofstream file(folder / "filler", std::ios::binary);
  const std::string block(64U << 10, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

// The disk is filled while the compiler burns its three seconds, before it writes anything.
Compilation compile_while_the_disk_fills(const std::string& source) {
  const base::TempDir folder;
  const TinyDisk disk(folder.path() / "scratch", 80U << 10);
  std::thread filler([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    fill(disk.path());
  });
  const Compilation compilation =
      Compiler(patient(), disk.path())
          .compile(standin(),
                   plugin_of({source_file("hello.sma", "#pragma standin busy\n" + source)}),
                   Priority::normal);
  filler.join();
  return compilation;
}

void check_unavailable(const Compilation& compilation) {
  BOOST_TEST((compilation.result == Result::unavailable), compilation.output);
  BOOST_TEST(contains(compilation.cause, "No space left on device"), compilation.cause);
  BOOST_TEST(!compilation.is_verdict());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(full_scratch, *kMayMount)

BOOST_AUTO_TEST_CASE(a_disk_without_room_for_a_compile_is_told_before_it) {
  const base::TempDir folder;
  const TinyDisk disk(folder.path() / "scratch");
  const auto compilation =
      Compiler(patient(), disk.path())
          .compile(standin(), plugin_of({source_file("hello.sma", kHello)}), Priority::normal);
  check_unavailable(compilation);
  BOOST_TEST(contains(compilation.cause, "0 MiB free of the 65 MiB that it may take"),
             compilation.cause);
}

BOOST_AUTO_TEST_CASE(a_good_plugin_is_not_rejected_by_a_disk_that_fills_up) {
  check_unavailable(compile_while_the_disk_fills(kHello));
}

BOOST_AUTO_TEST_CASE(an_error_that_the_compiler_named_before_is_a_verdict_all_the_same) {
  const auto compilation = compile_while_the_disk_fills("#error no\n" + std::string(kHello));
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(compilation.is_verdict());
}

BOOST_AUTO_TEST_SUITE_END()
