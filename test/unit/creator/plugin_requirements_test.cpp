// What plugins need of a build (decision S26).
#include "app/creator/plugin_requirements.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>

#include "app/domain/natives.hpp"

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using domain::PluginNeed;
using Plugins = std::vector<PluginOutcome>;
using Texts = std::vector<std::string>;

std::string module_file(const std::string& name) {
  return "cstrike/addons/amxmodx/modules/" + name + "_amxx_i386.so";
}

// With a component that ships these modules.
const Selection& selection_with(const Texts& modules) {
  static std::deque<domain::Catalog> catalogs;  // selections point into them
  static std::deque<Selection> selections;
  std::vector<domain::ManifestFile> files;
  for (const std::string& name : modules) files.push_back({module_file(name), 1, false});
  catalogs.push_back(catalog_of(
      usual_stack() +
      std::vector<domain::Component>{A("modules", Layer::module, 50)
                                         .by_default()
                                         .version("1.0", "2024-01-01 00:00:00"_utc, files)}));
  selections.push_back(
      valid(parse_selection_request(std::nullopt, std::nullopt, false), catalogs.back()));
  return selections.back();
}

PluginOutcome needing(std::string slug, std::vector<PluginNeed> needs, Texts registers = {}) {
  PluginOutcome plugin = compiled(std::move(slug), "x");
  plugin.name = "Plugin " + plugin.slug;
  std::get<CompiledPlugin>(plugin.result).needs = {std::move(needs), std::move(registers)};
  return plugin;
}

Texts unmet_in(const Texts& modules, const Plugins& plugins) {
  Texts found;
  for (const UnmetNeed& unmet : unmet_needs(selection_with(modules), plugins)) {
    found.push_back(unmet.slug + " " + unmet.need.name);
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plugin_requirements)

BOOST_AUTO_TEST_CASE(a_module_is_shipped_by_the_component_that_has_its_file) {
  const Plugins plugins = {needing("a", {{"reapi", false, "reapi"}, {"sqlx", true, "mysql"}})};
  BOOST_TEST((unmet_in({"reapi", "mysql"}, plugins) == Texts{}));
  BOOST_TEST((unmet_in({"reapi"}, plugins) == Texts{"a sqlx"}));
  BOOST_TEST((unmet_in({}, plugins) == Texts{"a reapi", "a sqlx"}));
}

BOOST_AUTO_TEST_CASE(
    the_file_that_is_loaded_must_have_the_very_name_but_a_library_may_have_any_case) {
  BOOST_TEST(
      (unmet_in({"ReAPI"}, {needing("a", {{"reapi", false, "reapi"}})}) == Texts{"a reapi"}));
  BOOST_TEST((unmet_in({"ReAPI"}, {needing("a", {{"reapi", false, "ReAPI"}})}) == Texts{}));
  BOOST_TEST((unmet_in({"ReAPI"}, {needing("a", {{"reapi", false, ""}})}) == Texts{}));
  BOOST_TEST((unmet_in({"reapi2", "a/reapi", ""}, {needing("a", {{"reapi", false, ""}})}) ==
              Texts{"a reapi"}));
}

BOOST_AUTO_TEST_CASE(a_library_may_be_another_plugins) {
  const PluginOutcome user = needing("a", {{"menus", false, "menus"}});
  BOOST_TEST((unmet_in({}, {user, needing("b", {}, {"menus"})}) == Texts{}));
  BOOST_TEST((unmet_in({}, {user, needing("b", {}, {"other"})}) == Texts{"a menus"}));
  BOOST_TEST((unmet_in({}, {user, skipped("b", SkipReason::rejected)}) == Texts{"a menus"}));
  // No plugin is a class.
  BOOST_TEST((unmet_in({}, {needing("a", {{"menus", true, "menus"}}),
                            needing("b", {}, {"menus"})}) == Texts{"a menus"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_with_a_module_filter_decides_itself) {
  PluginOutcome plugin = needing("a", {{"reapi", false, ""}});
  std::get<CompiledPlugin>(plugin.result).needs.is_filtered = true;
  BOOST_TEST((unmet_in({}, {plugin}) == Texts{}));
}

BOOST_AUTO_TEST_CASE(
    of_a_class_without_a_named_module_nothing_is_known_but_that_one_must_be_listed) {
  Plugins plugins = {needing("a", {{"xstats", true, ""}})};
  BOOST_TEST((unmet_in({"csx"}, plugins) == Texts{}));
  note_unlisted(selection_with({"csx"}), plugins);
  BOOST_TEST((base::english(plugins[0].obstacles) ==
              Texts{"it needs a module of the class \"xstats\", which AMX Mod X loads only if "
                    "configs/modules.ini lists one."}));
}

BOOST_AUTO_TEST_CASE(what_is_loaded_for_one_plugin_is_there_for_all) {
  Plugins plugins = {needing("a", {{"reapi", false, ""}, {"sqlx", true, ""}}),
                     needing("b", {{"reapi", false, "reapi"}, {"sqlx", true, "mysql"}}),
                     needing("c", {{"reapi", false, "ReAPI"}})};
  const Texts modules{"reapi", "mysql"};  // named, or GCC 14 takes the reference for one into them
  const Selection& selection = selection_with(modules);
  BOOST_TEST(unmet_needs(selection, plugins).empty());
  note_unlisted(selection, plugins);
  for (const PluginOutcome& plugin : plugins) BOOST_TEST(plugin.obstacles.empty(), plugin.slug);
  plugins.erase(plugins.begin() + 1);
  BOOST_TEST(unmet_needs(selection, plugins).size() == 1U);
  note_unlisted(selection, plugins);
  BOOST_TEST(plugins[0].obstacles.size() == 2U);
}

BOOST_AUTO_TEST_CASE(what_a_component_ships_is_a_missing_requirement) {
  const Provider provider{Provider::Kind::component, "reapi", "ReAPI", "1.0"};
  const MissingRequire missing =
      missing_require(UnmetNeed{"a", "Plugin A", {"reapi", false, "reapi"}}, provider);
  BOOST_TEST(missing.component == "plugin:a");
  BOOST_TEST(missing.requires_ == "reapi");
  BOOST_TEST(missing.reason ==
             "Plugin A needs ReAPI: AMX Mod X does not load it without the module or library "
             "\"reapi\".");
  const MissingRequire plugin =
      missing_require(UnmetNeed{"a", "Plugin A", {"menus", false, "menus"}},
                      Provider{Provider::Kind::plugin, "menu-core", "Menu Core", "1.0"});
  BOOST_TEST(plugin.component == "plugin:a");
  BOOST_TEST(plugin.requires_ == "plugin:menu-core");
  BOOST_TEST(
      plugin.reason.english().starts_with("Plugin A needs Menu Core: AMX Mod X does not load it"));
}

BOOST_AUTO_TEST_CASE(a_module_may_be_anothers) {
  const domain::PluginNeed reapi{"reapi", false, "reapi"};
  BOOST_TEST((unmet_in({"fun", "reapi"}, {needing("a", {reapi})}) == Texts{}));
}

BOOST_AUTO_TEST_CASE(what_nobody_ships_and_what_is_not_loaded_by_itself_are_notes) {
  Plugins plugins = {needing("a", {{"sqlx", true, "mysql"}}), needing("b", {{"reapi", false, ""}})};
  plugins[1].name = "B";
  const Texts modules = {"reapi"};
  const Selection& selection = selection_with(modules);
  for (const UnmetNeed& unmet : unmet_needs(selection, plugins)) note_unmet(unmet, plugins);
  note_unlisted(selection, plugins);
  std::get<CompiledPlugin>(plugins[1].result).version.files[0].filename = "y.sma";
  const Plan plan = make_plan(
      {parse_selection_request(std::nullopt, "a,b", false), selection, std::move(plugins), {}});
  BOOST_TEST(
      (plan.notes ==
       Texts{
           "Plugin \"a\": AMX Mod X does not load it without a module of the class \"sqlx\", which "
           "is in no part of this server.",
           "Plugin \"b\": it needs the module \"reapi\", which AMX Mod X loads only if "
           "configs/modules.ini lists it."}));
  BOOST_REQUIRE(plan.requested.size() == 2U);
  BOOST_TEST((plan.requested[0].needs == Texts{"sqlx"}));
  BOOST_TEST(plan.requested[0].reason.starts_with("AMX Mod X does not load it"));
  BOOST_TEST(plan.requested[1].reason.starts_with("It needs the module"));
  BOOST_TEST((plan.requested[1].status == PluginStatus::added));
}

BOOST_AUTO_TEST_CASE(natives_that_nobody_in_the_selection_offers) {
  const auto plugin_with = [](std::string slug, Texts imports, Texts offers = {}) {
    PluginOutcome plugin = needing(std::move(slug), {});
    std::get<CompiledPlugin>(plugin.result).needs.natives = {std::move(imports), std::move(offers)};
    return plugin;
  };
  domain::ComponentVersion amxmodx;
  amxmodx.files = {{std::string(domain::kAmxModXFile), 1, false, "", Texts{"print"}}};
  domain::ComponentVersion reapi;
  reapi.files = {{module_file("reapi"), 1, false, "", Texts{"rg_a"}}};
  Selection selection{{{nullptr, &amxmodx}, {nullptr, &reapi}}};
  const auto unmet_of = [&](const Plugins& plugins) {
    Texts texts;
    for (const UnmetNatives& unmet : unmet_natives(selection, plugins)) {
      texts.push_back(unmet.slug);
      texts.insert(texts.end(), unmet.natives.begin(), unmet.natives.end());
    }
    return texts;
  };
  const PluginOutcome user = plugin_with("a", {"hats_get", "own", "print", "rg_a"}, {"own"});
  BOOST_TEST((unmet_of({user}) == Texts{"a", "hats_get"}));
  BOOST_TEST((unmet_of({user, plugin_with("b", {}, {"hats_get"})}) == Texts{}));
  BOOST_TEST((unmet_of({user, skipped("b", SkipReason::rejected)}) == Texts{"a", "hats_get"}));
  PluginOutcome hidden = plugin_with("b", {});
  std::get<CompiledPlugin>(hidden.result).needs.natives->offers_more = true;
  BOOST_TEST((unmet_of({user, hidden}) == Texts{}));
  BOOST_TEST((unmet_of({needing("a", {})}) == Texts{}));
  reapi.files[0].natives.reset();
  BOOST_TEST((unmet_of({user}) == Texts{}));
}

BOOST_AUTO_TEST_CASE(missing_natives_are_named_up_to_three) {
  const MissingRequire one = missing_require(
      UnmetNatives{"a", "A", {"x"}}, Provider{Provider::Kind::plugin, "hats", "Hats", "1.0"});
  BOOST_TEST(one.component == "plugin:a");
  BOOST_TEST(one.requires_ == "plugin:hats");
  BOOST_TEST(one.reason == "A needs Hats: AMX Mod X does not load it without the function \"x\".");
  Plugins plugins = {needing("a", {}), needing("b", {})};
  note_unmet(UnmetNatives{"a", "A", {"v", "w", "x", "y", "z"}}, plugins);
  BOOST_TEST((base::english(plugins[0].obstacles) ==
              Texts{"AMX Mod X does not load it without the functions \"v\", \"w\", \"x\" and 2 "
                    "more, which no part of this server has."}));
  BOOST_TEST(plugins[1].obstacles.empty());
}

BOOST_AUTO_TEST_CASE(an_include_names_the_component_that_has_it) {
  domain::ComponentVersion version;
  version.files = {{"cstrike/addons/amxmodx/scripting/include/reapi.inc", 1, false}};
  BOOST_TEST(has_include(version, "reapi"));
  BOOST_TEST(has_include(version, "ReAPI.inc"));
  BOOST_TEST(!has_include(version, "reap"));
  BOOST_TEST(!has_include(version, ""));
  PluginOutcome plugin{"hats", SkipReason::rejected, "Hats"};
  plugin.missing_include = "reapi";
  const domain::Component provider = A("reapi", Layer::module).named("ReAPI");
  const MissingRequire missing = missing_include(plugin, provider);
  BOOST_TEST(missing.component == "plugin:hats");
  BOOST_TEST(missing.requires_ == "reapi");
  BOOST_TEST(missing.reason == "Hats needs ReAPI: its source includes reapi, which ReAPI has.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
