#include "app/domain/component.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "test/support/utc.hpp"

using namespace goldsmith::domain;
using goldsmith::operator""_utc;

namespace {

Component make_component(const Slug& slug, std::int64_t sort_order) {
  Component result;
  result.slug = slug;
  result.sort_order = sort_order;
  return result;
}

ComponentVersion make_version(const Version& name, std::optional<Timestamp> released_at) {
  ComponentVersion result;
  result.version = name;
  result.released_at = released_at;
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(component)

BOOST_AUTO_TEST_CASE(the_layers_are_those_of_the_specification_in_its_order) {
  const std::vector<std::string_view> keys = {"engine", "gamedll", "metamod",   "amxmodx",
                                              "auth",   "module",  "anticheat", "voice",
                                              "bots",   "svc",     "content"};
  BOOST_TEST_REQUIRE(layers().size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const LayerInfo& layer = layers()[i];
    BOOST_TEST(layer.key == keys[i]);
    BOOST_TEST(layer.exclusive == (i < 5));
    BOOST_TEST(!layer.label.empty());
    BOOST_TEST(&info(layer.layer) == &layer);
    BOOST_TEST((parse_layer(layer.key) == layer.layer));
  }
}

BOOST_AUTO_TEST_CASE(kinds_of_holds_are_stored_by_their_names) {
  for (const auto kind : {HoldKind::hand, HoldKind::unstarted, HoldKind::start, HoldKind::doubt,
                          HoldKind::step, HoldKind::defect}) {
    BOOST_CHECK(parse_hold_kind(to_string(kind)) == kind);
  }
  BOOST_TEST(to_string(HoldKind::defect) == "defect");
  BOOST_TEST(!parse_hold_kind("").has_value());
}

BOOST_AUTO_TEST_CASE(an_unknown_layer_is_nothing) {
  for (const auto* key : {"", "Engine", "engine ", "plugins"}) BOOST_TEST(!parse_layer(key), key);
}

BOOST_AUTO_TEST_CASE(rule_kinds_have_the_specifications_names) {
  for (const auto* key : {"requires", "conflicts", "recommends", "bundles"}) {
    const auto kind = parse_rule_kind(key);
    BOOST_TEST_REQUIRE(kind.has_value());
    BOOST_TEST(to_string(*kind) == key);
  }
  for (const auto* key : {"", "requires_", "Requires", "suggests"}) {
    BOOST_TEST(!parse_rule_kind(key), key);
  }
}

BOOST_AUTO_TEST_CASE(a_catalog_is_in_load_order) {
  const Catalog catalog({make_component("c", 20), make_component("b", 10), make_component("a", 20),
                         make_component("d", -1)});
  std::vector<std::string> slugs;
  for (const auto& component : catalog.components()) slugs.push_back(component.slug.str());
  const std::vector<std::string> expected = {"d", "b", "a", "c"};
  BOOST_TEST(slugs == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_catalog_finds_its_components_by_slug) {
  const Catalog catalog({make_component("rehlds", 2), make_component("reapi", 1)});
  BOOST_TEST_REQUIRE(catalog.find("rehlds") != nullptr);
  BOOST_TEST(catalog.find("rehlds")->slug == "rehlds");
  BOOST_TEST(catalog.find("reapi") == &catalog.components()[0]);
  BOOST_TEST(catalog.find("re") == nullptr);
  BOOST_TEST(catalog.find("") == nullptr);
  BOOST_TEST(Catalog().find("rehlds") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_copied_catalog_stands_alone) {
  auto original = std::make_unique<Catalog>(std::vector{make_component("rehlds", 1)});
  const Catalog copy = *original;
  original.reset();
  BOOST_TEST_REQUIRE(copy.find("rehlds") != nullptr);
  BOOST_TEST(copy.find("rehlds") == &copy.components()[0]);
}

BOOST_AUTO_TEST_CASE(a_duplicate_slug_is_refused) {
  BOOST_CHECK_EXCEPTION(
      Catalog({make_component("a", 1), make_component("b", 2), make_component("a", 3)}),
      std::invalid_argument, [](const std::invalid_argument& error) {
        return std::string(error.what()) == "component a is in the catalog more than once";
      });
}

BOOST_AUTO_TEST_CASE(a_components_versions_are_newest_first) {
  Component rehlds = make_component("rehlds", 1);
  rehlds.versions = {make_version("3.9", "2023-01-01 00:00:00"_utc),
                     make_version("3.13", "2022-01-01 00:00:00"_utc),
                     make_version("3.10", "2023-01-01 00:00:00"_utc)};
  const Catalog catalog({rehlds});
  const Component* found = catalog.find("rehlds");
  BOOST_TEST_REQUIRE(found != nullptr);
  BOOST_TEST_REQUIRE(found->versions.size() == 3U);
  BOOST_TEST(found->versions[0].version == "3.10");
  BOOST_TEST(found->versions[1].version == "3.9");
  BOOST_TEST(found->versions[2].version == "3.13");
  BOOST_TEST(found->latest() == &found->versions[0]);
}

BOOST_AUTO_TEST_CASE(a_component_that_was_never_mirrored_has_no_latest_version) {
  BOOST_TEST(make_component("rehlds", 1).latest() == nullptr);
}

BOOST_AUTO_TEST_CASE(a_version_is_found_by_its_whole_name) {
  Component rehlds = make_component("rehlds", 1);
  rehlds.versions = {make_version("3.13", std::nullopt), make_version("3.1", std::nullopt)};
  BOOST_TEST(rehlds.find_version("3.1") == &rehlds.versions[1]);
  BOOST_TEST(rehlds.find_version("3") == nullptr);
  BOOST_TEST(rehlds.find_version("") == nullptr);
}

BOOST_AUTO_TEST_CASE(the_first_glob_that_matches_its_name_maps_a_file_that_is_no_archive) {
  InstallRules rules;
  rules.map = {{"a.so", "archives/"}, {"a*.so", "first", true}, {"*.so", "second", true}};
  BOOST_TEST(rules.file_map("a.so")->to == "first");
  BOOST_TEST(rules.file_map("b.so")->to == "second");
  BOOST_TEST(rules.file_map("a.zip") == nullptr);
}

BOOST_AUTO_TEST_CASE(an_install_override_is_for_its_version_alone) {
  Component reunion = make_component("reunion", 1);
  reunion.install.map = {{"bin/", ""}};
  reunion.install_overrides["0.2.0.25"].map = {{"reunion_0.2.0.25/bin/", ""}};
  BOOST_TEST(reunion.install_for("0.2.0.25").map.front().from == "reunion_0.2.0.25/bin/");
  BOOST_TEST(reunion.install_for("0.2.0.26").map.front().from == "bin/");
  BOOST_TEST(&reunion.install_for("") == &reunion.install);
}

BOOST_AUTO_TEST_CASE(configuration_is_what_the_globs_of_a_component_match) {
  Component platform = make_component("platform", 1);
  platform.configuration = {"cstrike/addons/amxmodx/configs/**", "cstrike/motd.txt"};
  BOOST_TEST(is_configuration(platform, "cstrike/addons/amxmodx/configs/maps/de_dust.cfg"));
  BOOST_TEST(is_configuration(platform, "cstrike/motd.txt"));
  BOOST_TEST(!is_configuration(platform, "valve/motd.txt"));
  BOOST_TEST(!is_configuration(platform, "cstrike/other.ini"));
}

BOOST_AUTO_TEST_CASE(without_globs_configuration_goes_by_its_name) {
  const Component old = make_component("old", 1);
  for (const char* path : {"cstrike/server.cfg", "cstrike/addons/x/X.INI", "configs/motd.html",
                           "cstrike/addons/amxmodx/Configs/users.txt"}) {
    BOOST_TEST(is_configuration(old, path), path);
  }
  for (const char* path : {"engine_i486.so", "cstrike/configs", "cstrike/liblist.gam",
                           "cstrike/myconfigs/a.txt", "cstrike/addons/a.cfg/b.so"}) {
    BOOST_TEST(!is_configuration(old, path), path);
  }
}

BOOST_AUTO_TEST_SUITE_END()
