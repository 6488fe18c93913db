#include "app/compile/toolchain.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>

#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
namespace fs = std::filesystem;

namespace toolchain {
namespace {

struct Installed {
  goldsmith::base::TempDir root;
  goldsmith::base::TempDir includes;
  Toolchains toolchains{root.path(), includes.path()};

  fs::path folder(const std::string& line) const { return root.path() / line; }
  void install(const std::string& line) const {
    fs::copy(standin().folder, folder(line), fs::copy_options::recursive);
  }
  std::string print() const { return toolchains.fingerprint(toolchains.find("1.9").value()); }
};

void append(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

}  // namespace
}  // namespace toolchain

BOOST_AUTO_TEST_SUITE(toolchain)

BOOST_FIXTURE_TEST_CASE(installed_lines_come_oldest_first, Installed) {
  install("1.10");
  install("1.8.2");
  const auto found = toolchains.installed();
  BOOST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].line == "1.8.2");
  BOOST_TEST(found[1].line == "1.10");
  BOOST_TEST(found[1].folder == folder("1.10"));
  BOOST_TEST(found[1].operator_includes == includes.path() / "1.10");
}

BOOST_FIXTURE_TEST_CASE(a_line_that_nobody_knows_is_not_found, Installed) {
  install("2.0");
  BOOST_TEST(!toolchains.find("2.0").has_value());
  BOOST_TEST(!toolchains.find("").has_value());
  BOOST_TEST(!toolchains.find("../1.9").has_value());
  BOOST_TEST(toolchains.installed().empty());
}

BOOST_FIXTURE_TEST_CASE(a_toolchain_that_lacks_a_part_is_not_found, Installed) {
  for (const std::string part : {"amxxpc", "amxxpc32.so", "include"}) {
    install("1.9");
    fs::remove_all(folder("1.9") / part);
    BOOST_TEST(!toolchains.find("1.9").has_value(), "without " << part);
    fs::remove_all(folder("1.9"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_compiler_that_can_not_be_executed_is_not_found, Installed) {
  install("1.9");
  fs::permissions(folder("1.9") / "amxxpc", fs::perms::owner_read);
  BOOST_TEST(!toolchains.find("1.9").has_value());
}

BOOST_FIXTURE_TEST_CASE(a_toolchain_behind_a_link_is_found, Installed) {
  install("real");
  fs::create_directory_symlink("real", folder("1.9"));
  BOOST_TEST(toolchains.find("1.9").has_value());
}

BOOST_FIXTURE_TEST_CASE(the_same_files_elsewhere_have_the_same_fingerprint, Installed) {
  install("1.9");
  BOOST_TEST(print() == standin_toolchains().fingerprint(standin()));
  BOOST_TEST(print().size() == 64U);
}

BOOST_FIXTURE_TEST_CASE(every_changed_file_changes_the_fingerprint, Installed) {
  install("1.9");
  fs::create_directory(folder("1.9") / "include" / "more");
  std::vector<std::string> prints{print()};
  for (const char* file : {"amxxpc", "amxxpc32.so", "include/float.inc", "include/more/new.inc"}) {
    append(folder("1.9") / file, "x");
    prints.push_back(print());
  }
  fs::create_directory(includes.path() / "1.9");
  append(includes.path() / "1.9" / "reapi.inc", "x");
  prints.push_back(print());
  std::sort(prints.begin(), prints.end());
  BOOST_TEST((std::adjacent_find(prints.begin(), prints.end()) == prints.end()));
}

BOOST_FIXTURE_TEST_CASE(a_change_of_the_same_size_is_seen_by_its_time, Installed) {
  install("1.9");
  const fs::path file = folder("1.9") / "amxxpc32.so";
  const std::string before = print();
  std::string content = goldsmith::base::read_file(file);
  content[0] ^= 1;
  std::ofstream(file) << content;
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  BOOST_TEST(print() != before);
}

BOOST_FIXTURE_TEST_CASE(an_include_is_found_with_and_without_its_extension, Installed) {
  install("1.9");
  fs::create_directories(includes.path() / "1.9" / "sub");
  append(includes.path() / "1.9" / "sub" / "reapi.inc", "x");
  append(includes.path() / "elsewhere.inc", "x");
  const Toolchain found = toolchains.find("1.9").value();
  for (const char* name : {"float", "float.inc", "sub/reapi", "sub/reapi.inc"}) {
    BOOST_TEST(has_include(found, name), name);
  }
  for (const char* name : {"reapi", "sub", "elsewhere", "float.in"}) {
    BOOST_TEST(!has_include(found, name), name);
  }
}

BOOST_FIXTURE_TEST_CASE(all_includes_are_listed_and_of_two_the_one_that_compiles_find, Installed) {
  install("1.9");
  fs::create_directories(includes.path() / "1.9" / "sub");
  append(includes.path() / "1.9" / "sub" / "reapi.inc", "x");
  append(includes.path() / "1.9" / "float.inc", "never found");
  const auto found = goldsmith::compile::includes(toolchains.find("1.9").value());
  BOOST_TEST(found.at("sub/reapi.inc") == includes.path() / "1.9" / "sub" / "reapi.inc");
  BOOST_TEST(found.at("float.inc") == folder("1.9") / "include" / "float.inc");
  BOOST_TEST(found.size() > 2U);
}

BOOST_FIXTURE_TEST_CASE(the_operators_includes_for_another_line_change_nothing, Installed) {
  install("1.9");
  const std::string before = print();
  fs::create_directory(includes.path() / "1.10");
  append(includes.path() / "1.10" / "reapi.inc", "x");
  BOOST_TEST(print() == before);
}

BOOST_FIXTURE_TEST_CASE(a_moved_include_changes_the_fingerprint, Installed) {
  install("1.9");
  const std::string before = print();
  fs::rename(folder("1.9") / "include/float.inc", folder("1.9") / "include/flood.inc");
  BOOST_TEST(print() != before);
}

BOOST_FIXTURE_TEST_CASE(a_toolchain_that_vanished_has_no_fingerprint, Installed) {
  install("1.9");
  const Toolchain found = toolchains.find("1.9").value();
  fs::remove_all(folder("1.9"));
  BOOST_CHECK_THROW(toolchains.fingerprint(found), goldsmith::base::FileError);
}

BOOST_AUTO_TEST_SUITE_END()
