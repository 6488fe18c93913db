#include <boost/test/unit_test.hpp>

#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace component_manifest {
namespace {

struct Fixture : ManifestFolder {
  std::vector<domain::Component> read(const std::string& json) const {
    return read_components(write("component.json", json));
  }
  // The manifest of a component with the mandatory fields and `rest`.
  std::string refusal(const std::string& rest) const {
    const std::string message =
        error_of([&] { read(R"({"slug": "x", "name": "X", "layer": "engine", )" + rest + "}"); });
    const std::string start = "DIR/component.json: ";
    return message.starts_with(start) ? message.substr(start.size()) : "unexpected: " + message;
  }
};

}  // namespace
}  // namespace component_manifest

BOOST_FIXTURE_TEST_SUITE(component_manifest, Fixture)

BOOST_AUTO_TEST_CASE(a_license_is_an_expression_of_spdx) {
  const auto license_of = [&](const std::string& license) {
    return read(R"({"slug": "x", "name": "X", "layer": "engine", "license": ")" + license +
                "\"}")[0]
        .license;
  };
  BOOST_TEST(license_of("") == "");
  BOOST_TEST(license_of("GPL-3.0-only OR LicenseRef-Own") == "GPL-3.0-only OR LicenseRef-Own");
  BOOST_TEST(
      refusal(R"("license": "GPL-3.0-onyl")") ==
      "license: \"GPL-3.0-onyl\" is not a valid SPDX license expression: \"GPL-3.0-onyl\" is "
      "not an identifier of SPDX's list of licenses; did you mean \"GPL-3.0-only\"?; what is "
      "proprietary or unknown is LicenseRef- with a name of your own");
  BOOST_TEST(
      refusal(R"("license": "MIT AND")") ==
      "license: \"MIT AND\" is not a valid SPDX license expression: an identifier is missing "
      "at its end; what is proprietary or unknown is LicenseRef- with a name of your own");
}

BOOST_AUTO_TEST_CASE(every_field_of_a_component_is_read) {
  const auto components = read(R"([{"slug": "reunion", "name": "Reunion", "description": "D",
      "homepage": "https://example.com", "license": "GPL-3.0", "layer": "auth",
      "is_default": true, "selectable": false, "sort_order": 50,
      "rules": [{"rule": "requires", "component": "rehlds", "note": "Needs it.",
                 "with_versions": ">=3.14 "},
                {"rule": "conflicts", "component": "hlds", "versions": " >=0.2  <0.3"},
                {"rule": "conflicts", "component": "hlds", "versions": "<0.1"}],
      "upstream": {"github": "rehlds/ReUnion", "asset": "reunion-*.zip"},
      "install": {"map": [{"from": "bin/Linux/", "to": "cstrike/addons/reunion/"},
                          {"from": "reunion.cfg", "to": "cstrike/addons/reunion/reunion.cfg"}],
                  "drop": ["*.dll"], "executable": ["hlds_linux"]},
      "install_overrides": {"0.2.0.25": {"map": [{"from": "", "to": "cstrike/"}]}},
      "configuration": ["cstrike/addons/reunion/*.cfg", "cstrike/motd.txt"],
      "secrets": [{"file": "cstrike/reunion.cfg", "setting": "Salt ="},
                  {"file": "cstrike/server.cfg", "setting": "rcon", "suggested": true}],
      "places": [{"file": "cstrike/reunion.cfg", "looked_for": ["@library/r.cfg", "cstrike/r.cfg"],
                  "identity": ["Salt", "cid Steam"]},
                 {"file": "a.cfg", "looked_for": ["a.cfg"]}],
      "loads": {"metamod_plugin": "addons/reunion/reunion_mm_i386.so", "toolchain": "1.9"},
      "advice": ["Set a salt.", {"text": "Old.", "versions": "<0.2.0.25"}, {"text": "All."}]}])");
  BOOST_TEST_REQUIRE(components.size() == 1U);
  const domain::Component& component = components[0];
  BOOST_TEST(component.slug == "reunion");
  BOOST_TEST(component.description == "D");
  BOOST_TEST(component.homepage == "https://example.com");
  BOOST_TEST(component.license == "GPL-3.0");
  BOOST_TEST((component.layer == domain::Layer::auth));
  BOOST_TEST(component.is_default);
  BOOST_TEST(!component.selectable);
  BOOST_TEST(component.sort_order == 50);
  BOOST_TEST_REQUIRE(component.rules.size() == 3U);
  BOOST_TEST((component.rules[1].kind == domain::RuleKind::conflicts));
  BOOST_TEST(component.rules[0].note == "Needs it.");
  BOOST_TEST(component.rules[0].versions.is_every());
  BOOST_TEST(component.rules[0].with.str() == ">=3.14");
  BOOST_TEST(component.rules[1].versions.str() == ">=0.2 <0.3");
  BOOST_TEST(component.rules[1].with.is_every());
  BOOST_TEST(component.upstream.github == "rehlds/ReUnion");
  BOOST_TEST(component.upstream.assets == std::vector<std::string>{"reunion-*.zip"});
  BOOST_TEST_REQUIRE(component.install.map.size() == 2U);
  BOOST_TEST(component.install.map[0].to == "cstrike/addons/reunion/");
  BOOST_TEST(component.install.drop == std::vector<std::string>{"*.dll"});
  BOOST_TEST(component.install.executables == std::vector<std::string>{"hlds_linux"});
  BOOST_TEST(component.install_overrides.at("0.2.0.25").map.at(0).to == "cstrike/");
  BOOST_TEST((component.configuration ==
              std::vector<std::string>{"cstrike/addons/reunion/*.cfg", "cstrike/motd.txt"}));
  BOOST_CHECK(
      (component.secrets == std::vector<domain::Secret>{{"cstrike/reunion.cfg", "Salt ="},
                                                        {"cstrike/server.cfg", "rcon", true}}));
  BOOST_CHECK((component.places == std::vector<domain::Places>{{"cstrike/reunion.cfg",
                                                                {"@library/r.cfg", "cstrike/r.cfg"},
                                                                {"Salt", "cid Steam"}},
                                                               {"a.cfg", {"a.cfg"}}}));
  BOOST_TEST((component.loads.metamod_plugin == "addons/reunion/reunion_mm_i386.so"));
  BOOST_TEST((component.loads.toolchain == "1.9"));
  BOOST_TEST_REQUIRE(component.advice.size() == 3U);
  BOOST_TEST(component.advice[0].text == "Set a salt.");
  BOOST_TEST(component.advice[1].text == "Old.");
  BOOST_TEST(component.advice[1].versions.str() == "<0.2.0.25");
  BOOST_TEST(component.advice[2].versions.is_every());
  BOOST_TEST(component.versions.empty());
}

BOOST_AUTO_TEST_CASE(the_mandatory_fields_are_enough) {
  const auto components = read(R"({"slug": "x", "name": "X", "layer": "module"})");
  BOOST_TEST_REQUIRE(components.size() == 1U);
  BOOST_TEST(!components[0].is_default);
  BOOST_TEST(components[0].selectable);
  BOOST_TEST(components[0].sort_order == 0);
  BOOST_TEST(components[0].rules.empty());
  BOOST_TEST(components[0].configuration.empty());
  BOOST_TEST((components[0].install == domain::InstallRules{}));
}

BOOST_AUTO_TEST_CASE(bad_layers_and_rules_are_refused) {
  BOOST_TEST(
      error_of([&] { read(R"({"slug": "x", "name": "X", "layer": "motor"})"); }) ==
      "DIR/component.json: layer: \"motor\" is not a valid layer; allowed are engine, gamedll, "
      "metamod, amxmodx, auth, module, anticheat, voice, bots, svc or content");
  BOOST_TEST(refusal(R"("rules": [{"rule": "needs", "component": "y"}])") ==
             "rules[0].rule: \"needs\" is not a valid rule; allowed are requires, conflicts, "
             "recommends or "
             "bundles");
  BOOST_TEST(refusal(R"("rules": [{"rule": "requires"}])") ==
             "rules[0].component: missing; this field is mandatory");
  BOOST_TEST(refusal(R"("rules": [{"rule": "requires", "component": "x"}])") ==
             "rules[0].component: \"x\" is the component itself; a rule names another one");
  BOOST_TEST(refusal(R"("rules": [{"rule": "requires", "component": "y"},
                                  {"rule": "requires", "component": "y"}])") ==
             "rules[1].component: \"y\" has this rule twice; each rule is listed once");
  const auto of_versions = [this](const std::string& rule) {
    return refusal(R"("rules": [{"rule": ")" + rule + R"(", "component": "y",
                                 "with_versions": ">=1"},
                                {"rule": "requires", "component": "y", "with_versions": "1"}])");
  };
  BOOST_TEST(of_versions("recommends")
                 .starts_with("rules[1].with_versions: \"1\" is not a valid range of versions; "));
  BOOST_TEST(of_versions("bundles") ==
             "rules[0].with_versions: \">=1\" is of a rule that bundles, which adds the latest "
             "version of the other component");
  BOOST_TEST(refusal(R"("rules": {})") == "rules: {} is an object; it must be an array");
}

BOOST_AUTO_TEST_CASE(a_map_may_name_a_file_that_is_no_archive) {
  const auto components = read(R"({"slug": "a", "name": "A", "layer": "module", "install": {"map": [
        {"from": "*.so", "to": ""}, {"file": "*.so", "to": "cstrike/addons/a/a.so"}]}})");
  const std::vector<domain::PathMap> expected = {{"*.so", ""},
                                                 {"*.so", "cstrike/addons/a/a.so", true}};
  BOOST_TEST((components.at(0).install.map == expected));
}

BOOST_AUTO_TEST_CASE(bad_install_rules_are_refused) {
  const std::string path_rule =
      " is not a valid path in an archive; allowed are relative paths with / between the names, "
      "without "
      "\".\" and \"..\"";
  for (const std::string path : {"../", "/", "/a/", "a//", "a/../b", "./a"}) {
    BOOST_TEST(refusal(R"("install": {"map": [{"from": "a/", "to": ")" + path + R"("}]})") ==
               "install.map[0].to: \"" + path + "\"" + path_rule);
    BOOST_TEST(refusal(R"("install": {"map": [{"from": ")" + path + R"(", "to": ""}]})") ==
               "install.map[0].from: \"" + path + "\"" + path_rule);
  }
  BOOST_TEST(
      refusal(R"("install": {"map": [{"from": "a/", "to": ""}, {"from": "a/", "to": ""}]})") ==
      "install.map[1].from: \"a/\" is listed twice; each path is mapped once");
  BOOST_TEST(refusal(R"("install": {"map": [{"file": "a", "to": ""}, {"file": "a", "to": ""}]})") ==
             "install.map[1].file: \"a\" is listed twice; each name is mapped once");
  BOOST_TEST(refusal(R"("install": {"map": [{"file": "a/b.so", "to": ""}]})") ==
             "install.map[0].file: \"a/b.so\" holds a /, which no name of a release's file does");
  BOOST_TEST(refusal(R"("install": {"map": [{"file": "a", "from": "a", "to": ""}]})") ==
             "install.map[0]: names both a path in archives, \"from\", and a file that is no "
             "archive, \"file\"; allowed is one of the two");
  BOOST_TEST(refusal(R"("install": {"map": [{"file": "a", "to": "../"}]})") ==
             "install.map[0].to: \"../\"" + path_rule);
  BOOST_TEST(refusal(R"("install": {"map": [{"frm": "a/", "to": ""}]})") ==
             "install.map[0].frm: unknown field; did you mean \"from\"?");
  BOOST_TEST(refusal(R"("install": {"drop": "*.dll"})") ==
             "install.drop: \"*.dll\" is a string; it must be an array");
  BOOST_TEST(refusal(R"("configuration": [""])") ==
             "configuration[0]: \"\" is blank; it needs some text");
  BOOST_TEST(
      refusal(R"("secrets": [{"file": "a\tb", "setting": "x"}])") ==
      "secrets[0].file: \"a\\tb\" is not a valid file path; allowed are relative paths with / "
      "between the names, without \".\" and \"..\"");
  BOOST_TEST(refusal(R"("install_overrides": {"1.0": {"executable": [""]}})") ==
             "install_overrides[\"1.0\"].executable[0]: \"\" is blank; it needs some text");
  BOOST_TEST(refusal(R"("install_overrides": {"1 0": {}})") ==
             "install_overrides[\"1 0\"]: the name is not a valid version; allowed are letters, "
             "digits and "
             ". _ + ~ -");
}

BOOST_AUTO_TEST_CASE(bad_places_of_files_are_refused) {
  const auto refused = [this](const std::string& fields) {
    return refusal(R"("places": [{"file": "a.cfg", )" + fields + "}]");
  };
  const auto place = [&](const std::string& path) {
    return refused(R"("looked_for": ["a.cfg", ")" + path + R"("])");
  };
  const std::string path_rule =
      " is not a valid file path; allowed are relative paths with / between the names, without "
      "\".\" and \"..\"";
  for (const std::string path :
       {"", "/a.cfg", "../a.cfg", "a//b", "a/./b", "@library/../a", "a/"}) {
    BOOST_TEST(place(path) == "places[0].looked_for[1]: \"" + path + "\"" + path_rule);
  }
  BOOST_TEST(place("a b.cfg") ==
             "places[0].looked_for[1]: \"a b.cfg\" holds a space; places have none");
  BOOST_TEST(place("a.cfg") ==
             "places[0].looked_for[1]: \"a.cfg\" is listed twice; each is named once");
  for (const std::string path : {"@gamedir/a.cfg", "@library", "@/a.cfg"}) {
    BOOST_TEST(place(path) ==
               "places[0].looked_for[1]: \"" + path +
                   "\" begins with an unknown mark; allowed is @library/, the folder "
                   "of the component's library");
  }
  BOOST_TEST(refused(R"("looked_for": [])") ==
             "places[0].looked_for: is empty; it names at least one");
  BOOST_TEST(refused(R"("identity": [])") ==
             "places[0].looked_for: missing; this field is mandatory");
  BOOST_TEST(refused(R"("looked_for": ["a"], "identity": ["a\tb"])") ==
             "places[0].identity[0]: \"a\\tb\" holds a line feed or tab; it must be one line of "
             "text");
  BOOST_TEST(refused(R"("looked_for": ["a"], "places": ["a"])") ==
             "places[0].places: unknown field; allowed are file, looked_for or identity");
  BOOST_TEST(refusal(R"("places": [{"file": "a b", "looked_for": ["a"]}])") ==
             "places[0].file: \"a b\" holds a space; places have none");
  BOOST_TEST(refusal(R"("places": [{"file": "a", "looked_for": ["a"]},
                                    {"file": "a", "looked_for": ["b"]}])") ==
             "places[1].file: \"a\" is listed twice; each file is named once");
}

BOOST_AUTO_TEST_CASE(the_numbers_of_places_and_settings_are_bounded) {
  const auto places = [](std::size_t many, std::size_t settings) {
    std::string looked_for;
    std::string identity;
    for (std::size_t i = 0; i < many; ++i) {
      looked_for += (i ? ",\"p" : "\"p") + std::to_string(i) + "\"";
    }
    for (std::size_t i = 0; i < settings; ++i) {
      identity += (i ? ",\"s" : "\"s") + std::to_string(i) + "\"";
    }
    return R"("places": [{"file": "a", "looked_for": [)" + looked_for + R"(], "identity": [)" +
           identity + "]}]";
  };
  BOOST_CHECK_NO_THROW(
      read(R"({"slug": "x", "name": "X", "layer": "auth", )" + places(16, 100) + "}"));
  BOOST_TEST(refusal(places(17, 0)).starts_with("places[0].looked_for: "));
  BOOST_TEST(refusal(places(1, 101)).starts_with("places[0].identity: "));
}

BOOST_AUTO_TEST_CASE(libraries_of_ordinary_names_are_loaded) {
  for (const std::string path :
       {"dlls/cs.so", "cs_i386.so", "addons/a-b_c/1.2+3~x@y/Z.so", "..a"}) {
    const auto components =
        read(R"({"slug": "x", "name": "X", "layer": "metamod", "loads": {"metamod_loader": ")" +
             path + R"("}})");
    BOOST_TEST((components.at(0).loads.metamod_loader == path));
  }
}

BOOST_AUTO_TEST_CASE(what_a_component_cannot_load_is_refused) {
  BOOST_TEST(refusal(R"("loads": {"gamedll": "../dlls/cs.so"})") ==
             "loads.gamedll: \"../dlls/cs.so\" is not a valid file path; allowed are relative "
             "paths with / between the names, without \".\" and \"..\"");
  BOOST_TEST(
      refusal(R"("loads": {"gamedll": "dlls/c s.so"})") ==
      "loads.gamedll: \"dlls/c s.so\" is not a path that a server can load; allowed are letters, "
      "digits and . _ + ~ @ - with / between the names");
  std::vector<std::string> paths = {"", "/a.so", "a//b.so", "a/", "./a.so", "a/../b.so", ".."};
  paths.push_back(std::string(201, 'a'));
  for (const char byte : std::string(" '`;#$(){}[],:<>|*%&?!=^")) {
    paths.push_back(std::string("a") + byte + "b.so");
  }
  for (const std::string escape : {"t", "n", "r", "\"", "\\", "u0000", "u0007", "u007f", "u00fc"}) {
    paths.push_back("a\\" + escape + "b.so");
  }
  for (const std::string field : {"gamedll", "metamod_loader", "metamod_plugin"}) {
    for (const std::string& path : paths) {
      const std::string said = refusal(R"("loads": {")" + field + R"(": ")" + path + R"("})");
      BOOST_TEST(said.starts_with("loads." + field + ": "), path << " gives: " << said);
    }
  }
  BOOST_TEST(refusal(R"("loads": {"toolchain": "2.0"})") ==
             "loads.toolchain: \"2.0\" is not a valid toolchain; allowed are 1.8.2, 1.9 or 1.10");
  BOOST_TEST(refusal(R"("loads": {"metamod": "x"})").starts_with("loads.metamod: unknown field; "));
}

BOOST_AUTO_TEST_CASE(bad_flags_and_orders_are_refused) {
  BOOST_TEST(refusal(R"("is_default": 1)") ==
             "is_default: 1 is a number; it must be true or false");
  BOOST_TEST(refusal(R"("sort_order": 1000001)") ==
             "sort_order: 1000001 is out of bounds; allowed are -1000000 to 1000000");
  BOOST_TEST(refusal(R"("advice": [{"versions": "<1"}])") ==
             "advice[0].text: missing; this field is mandatory");
  for (const std::string range : {"1.0", "<", "< 1.0", "^1.0", "<1.0,>0.5"}) {
    const std::string why = "\"" + range +
                            "\" is not a valid range of versions; allowed are <, <=, >, >= or = "
                            "with a version, several "
                            "separated by spaces: \">=5.24 <5.26\"";
    BOOST_TEST(refusal(R"("advice": [{"text": "x", "versions": ")" + range + R"("}])") ==
               "advice[0].versions: " + why);
    BOOST_TEST(refusal(R"("rules": [{"rule": "requires", "component": "y", "versions": ")" + range +
                       R"("}])") == "rules[0].versions: " + why);
  }
  BOOST_TEST(refusal(R"("advice": [""])") == "advice[0]: \"\" is blank; it needs some text");
}

BOOST_AUTO_TEST_CASE(a_component_that_is_there_twice_is_refused) {
  BOOST_TEST(
      error_of([&] {
        read(R"([{"slug": "x", "name": "X", "layer": "engine"},
                        {"slug": "x", "name": "Y", "layer": "engine"}])");
      }) ==
      "DIR/component.json: [1].slug: \"x\" is listed twice; a file names each component once");
}

BOOST_AUTO_TEST_CASE(defects_are_read) {
  const auto components = read(R"({"slug": "x", "name": "X", "layer": "engine", "defects": [
      {"text": "It cuts.", "since": "1.2", "until": "1.4", "source": "https://x.org/1", "hold": true},
      {"text": "It leaks.", "source": "https://x.org/2"}]})");
  const std::vector<domain::Defect>& defects = components[0].defects;
  BOOST_REQUIRE(defects.size() == 2U);
  BOOST_TEST(defects[0].text == "It cuts.");
  BOOST_TEST((defects[0].since == Version::parse("1.2")));
  BOOST_TEST((defects[0].until == Version::parse("1.4")));
  BOOST_TEST(defects[0].source == "https://x.org/1");
  BOOST_TEST(defects[0].holds);
  BOOST_TEST(!defects[1].since.has_value());
  BOOST_TEST(!defects[1].holds);
  std::string concerned;
  for (const char* each : {"1.1", "1.2", "1.3.9", "1.4", "1.10"}) {
    if (defects[0].concerns(each)) concerned.append(each).append(" ");
  }
  BOOST_TEST(concerned == "1.2 1.3.9 ");
}

BOOST_AUTO_TEST_CASE(a_defect_names_where_it_is_told_and_ends_after_it_began) {
  BOOST_TEST(refusal(R"("defects": [{"text": "It cuts."}])").find("source") != std::string::npos);
  BOOST_TEST(refusal(R"("defects": [{"text": "x", "source": ""}])") ==
             "defects[0].source: is empty; it is the address that tells it");
  BOOST_TEST(refusal(R"("defects": [{"text": "x", "source": "ftp://x"}])")
                 .find("is not a valid address") != std::string::npos);
  BOOST_TEST(
      refusal(
          R"("defects": [{"text": "x", "source": "https://x", "since": "1.10", "until": "1.9"}])") ==
      "defects[0].until: is not after \"since\"; it names the first version without the defect");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
