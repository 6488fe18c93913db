// Directory plugins inside an archive (decisions S6, S7).
#include <boost/test/unit_test.hpp>
#include <deque>

#include "app/creator/plan.hpp"
#include "app/creator/plugin_files.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace directory_plugins {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

constexpr const char* kList = "cstrike/addons/amxmodx/configs/plugins-svc.ini";
const SelectionRequest kRecommended = parse_selection_request(std::nullopt, std::nullopt, false);

std::string binary_path(const std::string& name) {
  return "cstrike/addons/amxmodx/plugins/" + name;
}

Plan with_plugins(std::vector<PluginOutcome> plugins,
                  const std::vector<domain::Component>& more = {}) {
  static std::deque<domain::Catalog> catalogs;  // plans point into them
  catalogs.push_back(catalog_of(usual_stack() + more));
  return planned(kRecommended, catalogs.back(), std::move(plugins));
}

domain::Component has_taken_binary() {
  return A("has-taken", Layer::module, 100).by_default().with({binary_path("taken.amxx")});
}

// The registered names, in order.
Texts registered(const Plan& plan) {
  Texts names;
  const std::string list = content_of(plan, kList);
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = list.find('\n', start);
    if (list[start] != ';') names.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

}  // namespace
}  // namespace directory_plugins

BOOST_AUTO_TEST_SUITE(directory_plugins)

BOOST_AUTO_TEST_CASE(binary_source_and_other_files_get_their_paths) {
  const Plan plan = with_plugins(
      {compiled("greeter", "greet",
                {plugin_file("addons/amxmodx/configs", "greet.ini", "hello"),
                 plugin_file("", "motd.txt", "welcome"),
                 plugin_file("addons/amxmodx/scripting/include", "greet.inc", "#define X")})});
  BOOST_TEST(content_of(plan, binary_path("greet.amxx")) == "binary of greeter");
  BOOST_TEST(content_of(plan, "cstrike/addons/amxmodx/scripting/greet.sma") == "source of greeter");
  BOOST_TEST(content_of(plan, "cstrike/addons/amxmodx/configs/greet.ini") == "hello");
  BOOST_TEST(content_of(plan, "cstrike/motd.txt") == "welcome");
  BOOST_TEST(content_of(plan, "cstrike/addons/amxmodx/scripting/include/greet.inc") == "#define X");
  BOOST_TEST(source_of(plan, "cstrike/motd.txt") == "plugin:greeter/plugin");
  BOOST_TEST(source_of(plan, kList) == "svc/generated");
  BOOST_TEST((registered(plan) == Texts{"greet.amxx"}));
  BOOST_TEST(plan.notes.empty());
}

BOOST_AUTO_TEST_CASE(plugins_are_registered_in_slug_order) {
  const Plan plan = with_plugins({compiled("c", "1"), compiled("a", "3"), compiled("b", "2")});
  BOOST_TEST((registered(plan) == Texts{"3.amxx", "2.amxx", "1.amxx"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_passed_twice_is_included_once) {
  const Plan plan = with_plugins({compiled("a", "x"), compiled("a", "x")});
  BOOST_TEST((registered(plan) == Texts{"x.amxx"}));
  BOOST_TEST(plan.notes.empty());
}

BOOST_AUTO_TEST_CASE(without_plugins_there_is_no_list) {
  BOOST_TEST(source_of(with_plugins({}), kList) == "(none)");
}

BOOST_AUTO_TEST_CASE(what_was_skipped_is_noted_and_the_build_goes_on) {
  const Plan plan =
      with_plugins({skipped("a", SkipReason::unknown), skipped("b", SkipReason::unpublished),
                    skipped("c", SkipReason::no_source), skipped("d", SkipReason::rejected),
                    compiled("e", "e")});
  BOOST_TEST((plan.notes ==
              Texts{"Plugin \"a\" was skipped: the directory has no such plugin.",
                    "Plugin \"b\" was skipped: it has no published version.",
                    "Plugin \"c\" was skipped: its latest version has no source to compile.",
                    "Plugin \"d\" was skipped: it does not compile for the selected platform."}));
  BOOST_TEST((registered(plan) == Texts{"e.amxx"}));
}

BOOST_AUTO_TEST_CASE(each_plugin_says_what_came_of_it) {
  PluginOutcome older = compiled("b", "bee");
  older.name = "Bee";
  older.hint = "Needs x.inc.";
  older.passed_over = PassedOver{"2.0", SkipReason::rejected};
  const Plan plan = with_plugins({compiled("a", "a"), older, skipped("c", SkipReason::unknown),
                                  compiled("d", "a"), compiled("e", "taken")},
                                 {has_taken_binary()});
  BOOST_REQUIRE(plan.requested.size() == 5U);
  Texts found;
  for (const RequestedPlugin& each : plan.requested) {
    found.push_back(each.slug + "|" + each.name + "|" + each.version + "|" +
                    std::string(to_string(each.status)) + "|" + each.binary + "|" + each.hint +
                    "|" + each.reason);
  }
  BOOST_TEST(
      (found ==
       Texts{"a||1.0|added|a.amxx||",
             "b|Bee|1.0|older|bee.amxx|Needs x.inc.|Version 2.0 does not compile for the selected "
             "platform.",
             "c|||skipped|||The directory has no such plugin.", "d||1.0|added|d/a.amxx||",
             "e||1.0|added|||Its binary was left out."}));
  BOOST_TEST(mentions(plan.notes,
                      "Plugin \"b\": version 1.0 is used, because version 2.0 does not "
                      "compile for the selected platform."));
  BOOST_TEST(plan.notes.size() == 6U);
}

BOOST_AUTO_TEST_CASE(two_plugins_whose_files_have_one_name_are_both_loaded) {
  const Plan plan = with_plugins({compiled("first", "core"), compiled("second", "core")});
  const std::string folder = std::string(kPluginFolder) + "/";
  BOOST_TEST(content_of(plan, folder + "core.amxx") == "binary of first");
  BOOST_TEST(content_of(plan, folder + "second/core.amxx") == "binary of second");
  BOOST_TEST((registered(plan) == Texts{"core.amxx", "second/core.amxx"}));
  BOOST_TEST(mentions(plan.notes,
                      "Plugin \"second\": its binary is second/core.amxx, because that of "
                      "\"first\" has the same name."));
  BOOST_TEST(plan.requested.back().reason.empty());
}

BOOST_AUTO_TEST_CASE(of_two_that_offer_the_same_under_one_name_one_is_left_out) {
  const auto offering = [](std::string slug, Texts natives) {
    PluginOutcome plugin = compiled(std::move(slug), "core");
    std::get<CompiledPlugin>(plugin.result).needs.natives = {{}, std::move(natives)};
    return plugin;
  };
  const Plan plan = with_plugins(
      {offering("a", {"x_open"}), offering("b", {"y_open"}), offering("c", {"x_close", "y_open"})});
  BOOST_TEST((registered(plan) == Texts{"core.amxx", "b/core.amxx"}));
  BOOST_TEST((plan.requested.back().status == PluginStatus::skipped));
  BOOST_TEST(plan.requested.back().rival == "b");
  BOOST_TEST(plan.requested.back().reason ==
             "Its binary core.amxx has the same name as that of \"b\", and offers the same to "
             "other plugins: choose one of the two.");
}

BOOST_AUTO_TEST_CASE(one_plugin_under_two_slugs_is_loaded_once) {
  PluginOutcome first = compiled("mode-4", "mode");
  PluginOutcome second = compiled("mode-5", "mode");
  first.name = second.name = "Mode";
  const Plan plan = with_plugins({first, second});
  BOOST_TEST((registered(plan) == Texts{"mode.amxx"}));
  BOOST_TEST(plan.requested.back().rival == "mode-4");
}

BOOST_AUTO_TEST_CASE(what_an_older_platform_compiles_is_used_and_says_so) {
  PluginOutcome former = compiled("a", "a");
  former.older_line = "1.8.2";
  const Plan plan = with_plugins({former});
  BOOST_TEST((registered(plan) == Texts{"a.amxx"}));
  BOOST_TEST(
      (plan.notes ==
       Texts{"Plugin \"a\": version 1.0 is used, as compiled for AMX Mod X 1.8.2, because it does "
             "not compile for the selected platform."}));
  BOOST_TEST((plan.requested.front().status == PluginStatus::added));
}

BOOST_AUTO_TEST_CASE(a_newest_version_without_a_source_is_named_too) {
  PluginOutcome older = compiled("a", "a");
  older.passed_over = PassedOver{"2.0", SkipReason::no_source};
  BOOST_TEST((with_plugins({older}).notes ==
              Texts{"Plugin \"a\": version 1.0 is used, because version 2.0 has no source to "
                    "compile."}));
}

BOOST_AUTO_TEST_CASE(a_list_for_scripts_has_each_plugin_with_its_files) {
  const Plan plan =
      with_plugins({compiled("a", "a", {plugin_file("", "my file.txt", "x")}),
                    skipped("it's \n", SkipReason::unknown), skipped("b", SkipReason::rejected)});
  BOOST_TEST(plugin_list(plan) ==
             "plugin a added 1.0 -\n"
             "file a cstrike/addons/amxmodx/plugins/a.amxx\n"
             "file a cstrike/addons/amxmodx/scripting/a.sma\n"
             "file a cstrike/my file.txt\n"
             "plugin b skipped - It does not compile for the selected platform.\n"
             "plugin it%27s%20%0A skipped - The directory has no such plugin.\n");
  BOOST_TEST(plugin_list(with_plugins({})).empty());
}

BOOST_AUTO_TEST_CASE(a_list_for_scripts_has_what_is_configuration) {
  domain::Component told =
      A("told", Layer::module, 100).by_default().with({"cstrike/t.cfg", "cstrike/t.txt"});
  told.configuration = {"cstrike/t.txt"};
  const domain::Component old = A("old", Layer::module, 101).by_default().with({"o.cfg", "o.so"});
  const Plan plan = with_plugins({compiled("a", "a",
                                           {plugin_file("addons/amxmodx/configs", "a.txt", "x"),
                                            plugin_file("", "b.txt", "x")})},
                                 {told, old});
  BOOST_TEST(configuration_list(plan) ==
             "cstrike/addons/amxmodx/configs/a.txt\ncstrike/t.txt\no.cfg\n");
}

BOOST_AUTO_TEST_CASE(with_nothing_to_register_there_is_no_list) {
  const Plan plan =
      with_plugins({skipped("a", SkipReason::unknown), skipped("d", SkipReason::rejected)});
  BOOST_TEST(source_of(plan, kList) == "(none)");
  BOOST_TEST(plan.notes.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_compiled_plugin_without_a_source_is_skipped_with_a_note) {
  CompiledPlugin plugin;
  plugin.version.files = {plugin_file("", "readme.txt", "x")};
  const Plan plan = with_plugins({{"a", plugin}});
  BOOST_TEST(mentions(plan.notes, "Plugin \"a\" was skipped"));
  BOOST_TEST(source_of(plan, "cstrike/readme.txt") == "(none)");
}

BOOST_AUTO_TEST_CASE(of_two_plugins_with_the_same_binary_name_the_later_slug_has_a_folder) {
  const Plan plan = with_plugins({compiled("b", "same", {plugin_file("", "b.txt", "b")}),
                                  compiled("a", "same", {plugin_file("", "a.txt", "a")})});
  BOOST_TEST(content_of(plan, binary_path("same.amxx")) == "binary of a");
  BOOST_TEST(content_of(plan, binary_path("b/same.amxx")) == "binary of b");
  BOOST_TEST((registered(plan) == Texts{"same.amxx", "b/same.amxx"}));
  BOOST_TEST(source_of(plan, "cstrike/b.txt") == "plugin:b/plugin");
  BOOST_TEST(mentions(plan.notes,
                      "Plugin \"b\": its binary is b/same.amxx, because that of "
                      "\"a\" has the same name."));
  BOOST_TEST(
      mentions(plan.notes, "its file cstrike/addons/amxmodx/scripting/same.sma was left out"));
}

BOOST_AUTO_TEST_CASE(a_plugin_never_overwrites_a_components_file) {
  const Plan plan = with_plugins(
      {compiled("a", "a", {plugin_file("addons", "shared.cfg", "plugin's")})},
      {A("extra", Layer::module, 50).by_default().with({"cstrike/addons/shared.cfg"})});
  BOOST_TEST(source_of(plan, "cstrike/addons/shared.cfg") == "extra/upstream");
  BOOST_TEST(mentions(plan.notes, "cstrike/addons/shared.cfg was left out"));
  BOOST_TEST((registered(plan) == Texts{"a.amxx"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_whose_binary_a_component_ships_is_not_registered) {
  const Plan plan = with_plugins({compiled("a", "admin")},
                                 {A("extra", Layer::module, 50)
                                      .by_default()
                                      .with({"cstrike/addons/amxmodx/plugins/admin.amxx"})});
  BOOST_TEST(source_of(plan, binary_path("admin.amxx")) == "extra/upstream");
  BOOST_TEST(source_of(plan, kList) == "(none)");
  BOOST_TEST(mentions(plan.notes, "Plugin \"a\" is not registered"));
}

BOOST_AUTO_TEST_CASE(what_belongs_to_somebody_else_is_left_out_whoever_is_selected) {
  domain::PluginFile users = plugin_file("addons/amxmodx/configs", "users.ini", "strangers");
  users.owner = "AMX Mod X (amxmodx)";
  const Plan plan = with_plugins({compiled("a", "a", {users})});
  BOOST_TEST(source_of(plan, "cstrike/addons/amxmodx/configs/users.ini") == "(none)");
  BOOST_TEST((plan.notes ==
              Texts{"Plugin \"a\": its file cstrike/addons/amxmodx/configs/users.ini was left out: "
                    "it is one of AMX Mod X (amxmodx)."}));
  BOOST_TEST((registered(plan) == Texts{"a.amxx"}));
}

BOOST_AUTO_TEST_CASE(a_plugin_never_overwrites_a_generated_file) {
  const Plan plan = with_plugins({compiled(
      "a", "a",
      {plugin_file("", "liblist.gam", "evil"), plugin_file("addons/metamod", "plugins.ini", "evil"),
       plugin_file("addons/amxmodx/configs", "plugins-svc.ini", "evil.amxx")})});
  BOOST_TEST(source_of(plan, "cstrike/liblist.gam") == "svc/generated");
  BOOST_TEST(source_of(plan, "cstrike/addons/metamod/plugins.ini") == "svc/generated");
  BOOST_TEST((registered(plan) == Texts{"a.amxx"}));
  BOOST_TEST(plan.notes.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_plugin_cannot_add_its_own_list_if_nothing_is_registered) {
  const Plan plan = with_plugins(
      {compiled("a", "taken",
                {plugin_file("addons/amxmodx/configs", "plugins-svc.ini", "evil.amxx")})},
      {has_taken_binary()});
  BOOST_TEST(source_of(plan, kList) == "(none)");
}

BOOST_AUTO_TEST_CASE(a_plugin_cannot_put_a_file_where_others_have_a_folder_or_the_reverse) {
  const Plan plan = with_plugins({compiled(
      "a", "a",
      {plugin_file("", "addons", "file"), plugin_file("addons/amxmodx", "configs", "file"),
       plugin_file("", "dlls", "file"), plugin_file("dlls/cs.so", "x.txt", "file")})});
  BOOST_TEST(source_of(plan, "cstrike/addons") == "(none)");
  BOOST_TEST(source_of(plan, "cstrike/addons/amxmodx/configs") == "(none)");
  BOOST_TEST(source_of(plan, "cstrike/dlls") == "(none)");
  BOOST_TEST(source_of(plan, "cstrike/dlls/cs.so/x.txt") == "(none)");
  BOOST_TEST(plan.notes.size() == 4U);
}

BOOST_AUTO_TEST_CASE(
    of_two_plugins_with_the_same_path_the_file_of_the_later_slug_is_dropped_with_a_note) {
  const Plan plan = with_plugins({compiled("a", "a", {plugin_file("", "x.txt", "of a")}),
                                  compiled("b", "b", {plugin_file("", "x.txt", "of b")})});
  BOOST_TEST(content_of(plan, "cstrike/x.txt") == "of a");
  BOOST_TEST((plan.notes == Texts{"Plugin \"b\": its file cstrike/x.txt was left out, because "
                                  "\"plugin:a\" already has a file there."}));
  BOOST_TEST((registered(plan) == Texts{"a.amxx", "b.amxx"}));
}

BOOST_AUTO_TEST_CASE(two_plugins_may_share_a_file_of_the_same_content) {
  const Plan plan = with_plugins({compiled("a", "a", {plugin_file("", "x.txt", "same")}),
                                  compiled("b", "b", {plugin_file("", "x.txt", "same")})});
  BOOST_TEST(source_of(plan, "cstrike/x.txt") == "plugin:a/plugin");
  BOOST_TEST(plan.notes.empty());
}

BOOST_AUTO_TEST_CASE(the_compiled_binary_beats_one_that_the_author_shipped) {
  const Plan plan = with_plugins(
      {compiled("a", "a", {plugin_file("addons/amxmodx/plugins", "a.amxx", "prebuilt")})});
  BOOST_TEST(content_of(plan, binary_path("a.amxx")) == "binary of a");
  BOOST_TEST(plan.notes.empty());
}

BOOST_AUTO_TEST_CASE(a_binary_has_a_name_that_the_platform_loads) {
  const Plan plan =
      with_plugins({compiled("a", "_private"),
                    compiled("b", "two words",
                             {plugin_file("addons/amxmodx/plugins", "two words.amxx", "prebuilt")}),
                    compiled("c", "two_words")});
  BOOST_TEST(content_of(plan, binary_path("p_private.amxx")) == "binary of a");
  BOOST_TEST(content_of(plan, binary_path("two_words.amxx")) == "binary of b");
  BOOST_TEST(source_of(plan, binary_path("two words.amxx")) == "(none)");
  BOOST_TEST((registered(plan) == Texts{"p_private.amxx", "two_words.amxx", "c/two_words.amxx"}));
}

BOOST_AUTO_TEST_CASE(a_binary_of_a_long_name_is_cut_and_registered) {
  const std::string cut = std::string(219, 'x') + ".amxx";
  const Plan plan =
      with_plugins({compiled("a", std::string(251, 'x')), compiled("b", std::string(250, 'x'))});
  BOOST_TEST(content_of(plan, binary_path(cut)) == "binary of a");
  const std::string in_folder = "b/" + std::string(217, 'x') + ".amxx";
  BOOST_TEST(content_of(plan, binary_path(in_folder)) == "binary of b");
  BOOST_TEST((registered(plan) == Texts{cut, in_folder}));
}

BOOST_AUTO_TEST_CASE(empty_files_of_a_plugin_are_in_the_archive) {
  const Plan plan = with_plugins({compiled("a", "a", {plugin_file("", "empty.txt", "")})});
  BOOST_REQUIRE(find_file(plan, "cstrike/empty.txt") != nullptr);
  BOOST_TEST(find_file(plan, "cstrike/empty.txt")->size == 0U);
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_unknown_plugins_give_a_note_each) {
  std::vector<PluginOutcome> plugins;
  for (int i = 0; i < 100'000; ++i) {
    plugins.push_back(skipped("no-" + std::to_string(i), SkipReason::unknown));
  }
  BOOST_TEST(with_plugins(std::move(plugins)).notes.size() == 100'000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
