#include "app/compile/compiler.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
namespace fs = std::filesystem;
using State = ToolchainCheck::State;

namespace {

struct Installed {
  goldsmith::base::TempDir root;
  goldsmith::base::TempDir includes;
  goldsmith::base::TempDir scratch;
  Toolchains toolchains{root.path(), includes.path()};
  Compiler compiler{patient(), scratch.path()};
  fs::path folder = root.path() / "1.9";

  Installed() { fs::copy(standin().folder, folder, fs::copy_options::recursive); }
  ToolchainCheck check(std::string_view line = "1.9") const {
    return check_toolchain(toolchains, compiler, line);
  }
  void replace(const std::string& file, const std::string& content) const {
    std::ofstream(folder / file, std::ios::trunc) << content;
  }
};

void check_broken(const ToolchainCheck& check, const std::string& problem) {
  BOOST_TEST((check.state == State::broken));
  BOOST_TEST(contains(check.problem, problem), check.problem);
}

// A 32-bit program whose loader is not installed, which is how the official compilers look where
// the 32-bit C library is missing.
std::string program_without_loader() {
  const std::string loader("/lib/ld-nowhere.so.2\0", 21);  // with its NUL
  std::string bytes(
      "\x7F"
      "ELF\x01\x01\x01",
      7);
  bytes.resize(16);
  const auto put = [&](std::size_t size, std::uint64_t value) {
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  };
  put(2, 2), put(2, 3), put(4, 1);           // a program, for the 386, version 1
  put(4, 0x8048000), put(4, 52), put(4, 0);  // entry point, where the headers are
  put(4, 0), put(2, 52), put(2, 32), put(2, 1), put(6, 0);
  put(4, 3), put(4, 84), put(4, 0), put(4, 0);  // the one header: the loader's name
  put(4, 21), put(4, 21), put(4, 4), put(4, 1);
  return bytes + loader;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(toolchain_check, Installed)

BOOST_AUTO_TEST_CASE(a_sound_toolchain_compiles_the_probe_and_tells_its_name) {
  const ToolchainCheck found = check();
  BOOST_TEST((found.state == State::works), found.problem);
  BOOST_TEST(found.problem == "");
  BOOST_TEST(contains(found.banner, "stand-in for the AMX Mod X Compiler"), found.banner);
  BOOST_TEST(found.fingerprint == toolchains.fingerprint(toolchains.find("1.9").value()));
  BOOST_TEST(fs::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_CASE(includes_are_counted_in_the_order_in_which_they_are_searched) {
  BOOST_TEST(!check().includes.at(1).exists);
  fs::create_directories(includes.path() / "1.9" / "mod");
  std::ofstream(includes.path() / "1.9" / "mod" / "x.inc").close();
  std::ofstream(includes.path() / "elsewhere.inc").close();
  const ToolchainCheck found = check();
  BOOST_TEST_REQUIRE(found.includes.size() == 2U);
  BOOST_TEST(found.includes[0].folder == folder / "include");
  BOOST_TEST(found.includes[0].files > 50U);
  BOOST_TEST(found.includes[1].folder == includes.path() / "1.9");
  BOOST_TEST(found.includes[1].exists);
  BOOST_TEST(found.includes[1].files == 1U);
}

BOOST_AUTO_TEST_CASE(one_that_is_not_there_is_not_installed) {
  const ToolchainCheck found = check("1.10");
  BOOST_TEST((found.state == State::not_installed));
  BOOST_TEST(found.problem == (root.path() / "1.10").string() +
                                  ": there is no such folder (goldsmith-install-toolchain 1.10 "
                                  "installs it)");
}

BOOST_AUTO_TEST_CASE(each_part_that_is_missing_is_named_with_the_way_out) {
  for (const std::string part : {"include", "amxxpc32.so", "amxxpc"}) {
    fs::remove_all(folder / part);
    check_broken(check(), (folder / part).string() + ": there is no such f");
    check_broken(check(), "(goldsmith-install-toolchain 1.9 installs it)");
  }
}

BOOST_AUTO_TEST_CASE(a_compiler_that_may_not_be_executed_is_named) {
  fs::permissions(folder / "amxxpc", fs::perms::owner_read);
  check_broken(check(), (folder / "amxxpc").string() + ": can't be executed");
}

BOOST_AUTO_TEST_CASE(a_missing_32_bit_library_is_told_from_a_file_that_is_no_program) {
  replace("amxxpc", program_without_loader());
  check_broken(check(), "apt-get install libc6-i386");
  BOOST_TEST(check().banner == "");
  replace("amxxpc",
          "\x7F"
          "ELF is not enough");
  check_broken(check(), (folder / "amxxpc").string() + ": is not a program (");
}

BOOST_AUTO_TEST_CASE(includes_that_do_not_compile_are_shown_as_the_compiler_says) {
  replace("include/amxmisc.inc", "#error half of an upload\n");
  const ToolchainCheck found = check();
  check_broken(found, "does not compile a simple plugin: ");
  check_broken(found, "half of an upload");
  BOOST_TEST(!found.fingerprint.empty());
}

// As one does after an upgrade of the C library that needs more than the sandbox allows.
BOOST_AUTO_TEST_CASE(a_compiler_that_makes_a_call_that_the_sandbox_refuses_is_told_with_the_call) {
  replace("include/amxmisc.inc", "#pragma standin fork\n");
  check_broken(check(), "it made a system call that its sandbox does not allow: clone (");
}

BOOST_AUTO_TEST_CASE(a_scratch_folder_that_is_not_there_is_named) {
  const Compiler homeless(patient(), "/nonexistent/scratch");
  check_broken(check_toolchain(toolchains, homeless, "1.9"), "/nonexistent/scratch");
}

BOOST_AUTO_TEST_SUITE_END()
