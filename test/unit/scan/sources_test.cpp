// What a scan makes of sources, before anything is compiled.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/scan/scanner.hpp"
#include "test/unit/scan/told.hpp"

namespace goldsmith::scan {
namespace {

struct LeftFolder {
  ScannedPlugins read(const SourceTree::Bounds& bounds,
                      std::chrono::steady_clock::time_point until) const {
    SourceTree tree({}, {}, bounds);
    tree.add(folder.path());
    const compile::InstalledIncludes none;
    ScanLine line;
    line.includes = &none;
    Told told;
    return read_sources(tree, pawn::TextReader(), {line}, ScanRecord(), {}, told, until);
  }

  std::size_t count(const ScannedPlugins& plugins, const std::string& state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        plugins, [&](const ScannedPlugin& each) { return each.state() == state; }));
  }

  void write(const std::string& name, const std::string& content) const {
    base::write_atomically(folder.path() / name, content);
  }

  const base::TempDir folder;
  static constexpr auto kAlways = std::chrono::steady_clock::time_point::max();
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scanned_sources, LeftFolder)

BOOST_AUTO_TEST_CASE(files_that_plugins_share_count_for_each_and_together_are_bounded) {
  constexpr int kPlugins = 10;
  write("shared.inc", "stock f() {}\n//" + std::string(1000, 'x') + '\n');
  for (int i = 0; i < kPlugins; ++i) {
    write("p" + std::to_string(i) + ".sma",
          "#include \"shared.inc\"\npublic plugin_init() {\n" + std::to_string(i) + ";\n}\n");
  }
  const ScannedPlugins all = read({}, kAlways);
  BOOST_TEST(count(all, "refused") == 0U);
  const ScannedPlugins some = read({.bytes = 4000}, kAlways);
  BOOST_TEST(some.size() == static_cast<std::size_t>(kPlugins));
  BOOST_TEST(count(some, "refused") == 7U);
  for (const ScannedPlugin& each : some) {
    if (each.state() == "refused") {
      BOOST_TEST(each.refused ==
                 "is not scanned: with it the files of all plugins would have more than 3 KiB");
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_read_in_time_says_so) {
  write("a.sma", "public plugin_init() {}\n");
  const ScannedPlugins plugins = read({}, std::chrono::steady_clock::now());
  BOOST_TEST_REQUIRE(plugins.size() == 1U);
  BOOST_TEST(plugins.front().state() == "late");
  BOOST_TEST(plugins.front().why.starts_with("not read yet"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
