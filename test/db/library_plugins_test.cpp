// Which plugin registers a library, from the verdicts in a real database (decision S26).
#include "app/creator/catalog.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "app/base/file.hpp"
#include "app/compile/toolchain.hpp"
#include "db/verdict_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using domain::CompileResult;
using Kind = creator::LibraryPlugins::Kind;

namespace {

struct Registrars : test::DatabaseFixture {
  Registrars() {
    const auto place = folder.path() / "1.9";
    std::filesystem::create_directories(place / "include");
    for (const char* file : {"amxxpc", "amxxpc32.so"}) std::ofstream(place / file) << "compiler";
    std::filesystem::permissions(place / "amxxpc", std::filesystem::perms::owner_all);
    watch.generation();
    fingerprint = watch.fingerprints().at("1.9");
  }

  // A plugin whose version registers the libraries, as a check with that toolchain found.
  void add(const domain::Slug& slug, std::int64_t downloads, std::vector<std::string> names,
           const std::string& checked_with, std::optional<domain::PluginNatives> natives = {}) {
    store.import(test::make_plugin(slug, downloads), test::kNow);
    db::VerdictStore verdicts(database);
    domain::PluginNeeds needs;
    needs.registers = std::move(names);
    needs.natives = std::move(natives);
    for (const auto& version : verdicts.versions({slug})) {
      verdicts.record(version.id, std::string(64, 'c'),
                      {{"1.9", checked_with, CompileResult::ok, {{.needs = needs}}}}, test::kNow);
    }
  }
  std::string found(const std::string& library, std::uint64_t epoch = 1) {
    return found(Kind::library, library, epoch);
  }
  std::string found(Kind kind, const std::string& name, std::uint64_t epoch) {
    const db::LibraryPlugin* plugin = libraries.find(kind, name, "1.9", epoch);
    return plugin == nullptr ? "" : plugin->slug.str();
  }

  base::TempDir folder;
  compile::Toolchains toolchains{folder.path(), folder.path() / "include"};
  compile::ToolchainWatch watch{toolchains};
  std::string fingerprint;
  db::PluginStore store{database};
  std::int64_t moved = 0;
  creator::LibraryPlugins libraries{store, watch, [this] { return moved; }};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(library_plugins, Registrars)

BOOST_AUTO_TEST_CASE(it_is_the_most_downloaded_one_that_the_toolchain_compiles) {
  add("menus", 5, {"menus", "more"}, fingerprint);
  add("other-menus", 9, {"menus"}, fingerprint);
  add("old-menus", 20, {"menus"}, std::string(64, 'f'));
  add("nothing", 30, {}, fingerprint);
  BOOST_TEST(found("menus") == "other-menus");
  BOOST_TEST(found("more") == "menus");
  BOOST_TEST(found("men") == "");
  BOOST_TEST(libraries.find(Kind::library, "menus", "1.10", 1) == nullptr);
  store.set_status("other-menus", domain::Status::draft, test::kNow);
  BOOST_TEST(found("menus") == "other-menus");
  BOOST_TEST(found("menus", 2) == "menus");
}

BOOST_AUTO_TEST_CASE(so_it_is_of_a_native) {
  add("menus", 5, {}, fingerprint, {{{}, {"menu_more", "menu_show"}}});
  add("other-menus", 9, {}, fingerprint, {{{"menu_more"}, {"menu_show"}}});
  add("menu-more", 20, {"menu_more"}, fingerprint);
  BOOST_TEST(found(Kind::native, "menu_show", 1) == "other-menus");
  BOOST_TEST(found(Kind::native, "menu_more", 1) == "menus");
  BOOST_TEST(found(Kind::native, "menu", 1) == "");
  BOOST_TEST(found(Kind::library, "menu_show", 1) == "");
}

BOOST_AUTO_TEST_CASE(it_is_known_once_a_verdict_has_moved) {
  BOOST_TEST(found("menus") == "");
  add("menus", 0, {"menus"}, fingerprint);
  BOOST_TEST(found("menus") == "");
  ++moved;
  BOOST_TEST(found("menus") == "menus");
}

BOOST_AUTO_TEST_SUITE_END()
