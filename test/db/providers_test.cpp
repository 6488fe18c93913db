// Who has what a plugin needs, from the catalog and the verdicts in a real database (decision S26).
#include "app/creator/providers.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "app/base/file.hpp"
#include "app/compile/toolchain.hpp"
#include "app/creator/catalog.hpp"
#include "app/directory/need_index.hpp"
#include "app/directory/plugin_index.hpp"
#include "db/verdict_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using domain::CompileResult;

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
  std::string found(const std::string& library, std::uint64_t epoch = 1,
                    const std::string& line = "1.9") {
    return cache.at(epoch)->of({library}, line).token();
  }
  std::string found_native(const std::string& native) {
    return cache.at(1)->of_native(native, "1.9").token();
  }
  // A mirrored component with these modules, each of which offers the natives.
  void add_component(const domain::Slug& slug, domain::Layer layer, bool is_default,
                     const std::vector<std::string>& modules,
                     const std::vector<std::string>& natives) {
    domain::Component component = test::make_component(slug);
    component.layer = layer;
    component.is_default = is_default;
    components.import({component});
    domain::ComponentVersion version = test::make_component_version("1.0");
    version.files.clear();
    version.origins.clear();
    for (const std::string& module : modules) {
      version.files.push_back({"cstrike/addons/amxmodx/modules/" + module + "_amxx_i386.so", 1});
      version.files.back().natives = natives;
    }
    components.put_version(slug, version);
  }

  base::TempDir folder;
  compile::Toolchains toolchains{folder.path(), folder.path() / "include"};
  compile::ToolchainWatch watch{toolchains};
  std::string fingerprint;
  db::PluginStore store{database};
  std::int64_t moved = 0;
  db::ComponentStore components{database};
  creator::CatalogCache catalog{components};
  creator::ProviderCache cache{catalog, store, watch, [this] { return moved; }};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(providers, Registrars)

BOOST_AUTO_TEST_CASE(it_is_the_most_downloaded_one_that_the_toolchain_compiles) {
  add("menus", 5, {"menus", "more"}, fingerprint);
  add("other-menus", 9, {"menus"}, fingerprint);
  add("old-menus", 20, {"menus"}, std::string(64, 'f'));
  add("nothing", 30, {}, fingerprint);
  BOOST_TEST(found("menus") == "plugin:other-menus");
  BOOST_TEST(found("more") == "plugin:menus");
  BOOST_TEST(found("men") == "");
  BOOST_TEST(found("menus", 1, "1.10") == "");
  store.set_status("other-menus", domain::Status::draft, test::kNow);
  BOOST_TEST(found("menus") == "plugin:other-menus");
  BOOST_TEST(found("menus", 2) == "plugin:menus");
}

BOOST_AUTO_TEST_CASE(all_that_have_it_are_known_with_whose_they_are) {
  add("menus", 5, {"menus"}, fingerprint, {{{}, {"menu_show"}}});
  add("other-menus", 9, {"menus"}, fingerprint, {{{}, {"menu_show"}}});
  add("nothing", 30, {}, fingerprint, {{{}, {"menu"}}});
  database.execute("UPDATE plugins SET author = 'Somebody' WHERE slug = 'menus'", {});
  const auto known = cache.at(1);
  const auto plugins = known->plugins_with({"menus"}, "1.9");
  BOOST_REQUIRE(plugins.size() == 2U);
  BOOST_TEST(plugins[0]->slug == "other-menus");
  BOOST_TEST(plugins[1]->slug == "menus");
  BOOST_TEST(plugins[1]->family.author == "Somebody");
  BOOST_TEST(plugins[1]->family.repository == "owner/name");
  BOOST_TEST(plugins[1]->binary == "main.amxx");
  BOOST_TEST((known->plugins_with_native("menu_show", "1.9") == plugins));
  BOOST_TEST(known->plugins_with_native("menu_show", "1.9", 1).size() == 1U);
  BOOST_TEST(known->plugins_with({"menus", true}, "1.9").empty());
  const auto families = store.families({"menus", "nobody"});
  BOOST_REQUIRE(families.size() == 1U);
  BOOST_TEST(families.begin()->second.author == "Somebody");
}

BOOST_AUTO_TEST_CASE(the_most_downloaded_plugin_provides_a_native_too) {
  add("menus", 5, {}, fingerprint, {{{}, {"menu_more", "menu_show"}}});
  add("other-menus", 9, {}, fingerprint, {{{"menu_more"}, {"menu_show"}}});
  add("menu-more", 20, {"menu_more"}, fingerprint);
  BOOST_TEST(found_native("menu_show") == "plugin:other-menus");
  BOOST_TEST(found_native("menu_more") == "plugin:menus");
  BOOST_TEST(found_native("menu") == "");
  BOOST_TEST(found("menu_show") == "");
}

BOOST_AUTO_TEST_CASE(it_is_known_once_a_verdict_has_moved) {
  BOOST_TEST(found("menus") == "");
  add("menus", 0, {"menus"}, fingerprint);
  BOOST_TEST(found("menus") == "");
  ++moved;
  BOOST_TEST(found("menus") == "plugin:menus");
}

BOOST_AUTO_TEST_CASE(a_component_comes_before_a_plugin_and_a_recommended_one_before_others) {
  using domain::Layer;
  add("menus", 5, {"reapi", "own"}, fingerprint, {{{}, {"own_get", "rg_set"}}});
  add_component("first", Layer::module, false, {"ReAPI", "x"}, {"rg_set", "x_get"});
  add_component("second", Layer::module, true, {"reapi"}, {"rg_set"});
  BOOST_TEST(found("reapi") == "second");
  BOOST_TEST(found_native("rg_set") == "second");
  BOOST_TEST(found("x") == "first");
  BOOST_TEST(found_native("x_get") == "first");
  BOOST_TEST(found("own") == "plugin:menus");
  BOOST_TEST(found_native("own_get") == "plugin:menus");
  const auto known = cache.at(1);
  // AMX Mod X opens the file of a module by exactly that name.
  BOOST_TEST(known->of({"reapi", false, "ReAPI"}, "1.9").token() == "first");
  BOOST_TEST(known->of({"reapi", false, "REAPI"}, "1.9").token() == "plugin:menus");
  BOOST_TEST(known->of({"own", true}, "1.9").token() == "");
  BOOST_TEST(known->of_native("own_get", "1.9").version == "1.0");
}

BOOST_AUTO_TEST_CASE(what_a_plugin_needs_is_named_with_what_its_providers_need) {
  domain::PluginNeeds needs;
  needs.required = {{"core"}};
  needs.natives = {{"menu_show"}, {}};
  const auto named = [&](std::uint64_t epoch) { return cache.at(epoch)->named_for(needs, "1.9"); };
  BOOST_TEST(named(1) == "core=@\nmenu_show=@\n");
  add("menus", 5, {}, fingerprint, {{{"hats_get", "menu_show"}, {"menu_show"}}});
  BOOST_TEST(named(2) == "core=@\nhats_get=@\nmenu_show=plugin:menus@1.0\n");
  add("hats", 5, {}, fingerprint, {{{"menu_show"}, {"hats_get"}}});
  add_component("core", domain::Layer::module, false, {"Core"}, {});
  BOOST_TEST(named(3) == "core=core@1.0\nhats_get=plugin:hats@1.0\nmenu_show=plugin:menus@1.0\n");
  BOOST_TEST(cache.at(3)->named_for({}, "1.9") == "");
}

BOOST_AUTO_TEST_CASE(
    providers_are_other_ones_only_where_something_about_them_or_a_verdict_changed) {
  add("menus", 5, {"menus"}, fingerprint, {{{}, {"menu_show"}}});
  add_component("core", domain::Layer::module, false, {"Core"}, {"core_get"});
  const auto first = cache.at(1);
  BOOST_TEST(cache.at(2) == first);
  ++moved;
  const auto second = cache.at(2);
  BOOST_TEST(second != first);
  add_component("more", domain::Layer::module, false, {"More"}, {});
  const auto third = cache.at(3);
  BOOST_TEST(third != second);
  add("other-menus", 9, {"menus"}, fingerprint);
  BOOST_TEST(cache.at(4) != third);
}

BOOST_AUTO_TEST_CASE(what_plugins_need_is_read_again_when_they_or_a_verdict_change) {
  directory::NeedIndex needs(store, cache);
  const auto count = [&](const std::string& word, std::uint64_t epoch) {
    const auto points = needs.points(word, epoch);
    return std::ranges::count_if(points, [](auto each) { return each > 0; });
  };
  add_component("core", domain::Layer::module, false, {"Core"}, {"core_get", "core_set"});
  add("one", 5, {}, fingerprint, {{{"core_get", "core_set"}, {}}});
  BOOST_TEST(count("core", 1) == 1);
  add("two", 5, {}, fingerprint, {{{"core_get"}, {}}});
  BOOST_TEST(count("core", 2) == 1);  // nobody has told that there is another plugin
  needs.note_changed_plugins(2);
  BOOST_TEST(count("core", 2) == 2);
  add("three", 5, {}, fingerprint, {{{"core_set"}, {}}});
  ++moved;
  BOOST_TEST(count("core", 2) == 3);
  BOOST_TEST(count("other", 2) == 0);
}

BOOST_AUTO_TEST_CASE(the_index_of_plugins_tells_that_of_needs_what_changed) {
  const struct : base::Clock {
    std::chrono::system_clock::time_point now() const override { return {}; }
  } clock;
  directory::NeedIndex needs(store, cache);
  directory::PluginIndex index(store, store, clock, &needs);
  const auto found_by = [&](const std::string& word, std::uint64_t epoch) {
    return index.page({.folded_text = "", .category = {}, .words = {word}}, 0, 10, epoch).total;
  };
  add_component("core", domain::Layer::module, false, {"Core"}, {"core_get"});
  add("one", 5, {}, fingerprint, {{{"core_get"}, {}}});
  add("two", 5, {}, fingerprint, {{{"core_get"}, {}}});
  store.set_status("two", domain::Status::draft, test::kNow);
  BOOST_TEST(found_by("core", 1) == 1);
  // No verdict has moved.
  store.set_status("two", domain::Status::published, test::kNow);
  BOOST_TEST(found_by("core", 2) == 2);
  store.set_status("one", domain::Status::draft, test::kNow);
  BOOST_TEST(found_by("core", 3) == 1);
  database.execute("UPDATE revision SET value = value + 1", {});  // by an older program
  store.set_status("one", domain::Status::published, test::kNow);
  BOOST_TEST(found_by("core", 4) == 2);
}

BOOST_AUTO_TEST_CASE(what_another_platform_offers_is_no_addition) {
  using domain::Layer;
  add_component("platform", Layer::amxmodx, true, {"sqlx"}, {"SQL_New"});
  BOOST_TEST(found_native("SQL_New") == "");
  BOOST_TEST(found("sqlx") == "platform");
  BOOST_TEST((cache.at(1)->of({"sqlx"}, "1.9").kind == creator::Provider::Kind::platform));
}

BOOST_AUTO_TEST_SUITE_END()
