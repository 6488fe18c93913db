#include "handlers/documents/known_files.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "handlers/documents/documents.hpp"

namespace goldsmith::handlers::documents {
namespace {

const std::string kDigest(64, 'a');

std::string digest_of(char first) { return std::string(64, first); }

domain::Slug slug(std::string_view text) { return *domain::Slug::parse(text); }
domain::Version version(std::string_view text) { return *domain::Version::parse(text); }

domain::ComponentVersion version_of(std::string_view name) {
  domain::ComponentVersion made;
  made.version = version(name);
  return made;
}

domain::Component module_of_two_versions() {
  domain::Component component;
  component.slug = slug("quarry");
  component.name = "Quarry API";
  component.layer = domain::Layer::module;
  component.upstream.github = "example/quarry";
  component.versions = {version_of("2.0"), version_of("1.0")};
  component.versions.front().held = domain::Hold{"It crashes.", {}};
  return component;
}

domain::PluginFile source(const std::string& name, char first) {
  domain::PluginFile file;
  file.filename = name;
  file.install_dir = "addons/amxmodx/scripting";
  file.kind = "sma";
  file.size_bytes = 1;
  file.sha256 = digest_of(first);
  return file;
}

KnownPlugin plugin_with(std::vector<domain::PluginFile> files) {
  KnownPlugin plugin;
  plugin.name = {slug("afk"), "AFK Watch", "Somebody"};
  plugin.versions.emplace_back();
  plugin.versions.front().version = version("2.0");
  plugin.versions.front().files = std::move(files);
  return plugin;
}

std::string lines_of(const std::vector<domain::Component>& components,
                     const domain::VersionFiles& files,
                     const std::vector<KnownPlugin>& plugins = {}) {
  return known_files("https://site", domain::Catalog(components), files, plugins, {});
}

const std::string kHead = "goldsmith-known-files 1\nservice https://site\nlargest ";
const std::string kLayers = "exclusive engine gamedll metamod amxmodx auth\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(the_document_of_known_files)

BOOST_AUTO_TEST_CASE(has_the_rules_that_decide_whether_a_selection_is_valid) {
  domain::Component component = module_of_two_versions();
  component.rules = {
      {domain::RuleKind::requires_,
       slug("amber"),
       "",
       {},
       *domain::VersionRange::parse(">=1.9 <1.11")},
      {domain::RuleKind::conflicts, slug("none"), "", *domain::VersionRange::parse("<2"), {}},
      {domain::RuleKind::recommends, slug("amber"), "", {}, {}}};
  domain::Component platform;
  platform.slug = slug("amber");
  platform.layer = domain::Layer::amxmodx;
  const std::string text = lines_of({component, platform}, {});
  BOOST_TEST(text.find("\nrule requires amber amxmodx - >=1.9,<1.11\n"
                       "rule conflicts none - <2 -\nversion 2.0 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_where_a_component_looks_for_its_configuration) {
  domain::Component component = module_of_two_versions();
  component.places = {{"cstrike/addons/q/q.cfg", {"@library/q.cfg", "q.cfg"}, {"Salt", "Kind of"}},
                      {"q.ini", {"q.ini"}}};
  BOOST_TEST(lines_of({component}, {})
                 .find("\nupstream example/quarry\n"
                       "reads cstrike/addons/q/q.cfg @library/q.cfg q.cfg\n"
                       "identity cstrike/addons/q/q.cfg Salt\n"
                       "identity cstrike/addons/q/q.cfg Kind of\n"
                       "reads q.ini q.ini\nversion 2.0 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tells_the_defects_that_are_no_reason_of_a_hold) {
  domain::Component component = module_of_two_versions();
  component.versions.front().held.reset();
  component.defects = {{"It crashes.", version("2.0"), {}, "https://x.org/1", true},
                       {"It forgets.", {}, version("3.0"), "https://x.org/2", false}};
  BOOST_TEST(lines_of({component}, {})
                 .find("\nversion 2.0 held It crashes. No release without it is known: "
                       "https://x.org/1\ndefect It forgets. 3.0 is without it: https://x.org/2\n"
                       "version 1.0 latest\ndefect It forgets. 3.0 is without it: "
                       "https://x.org/2\nend\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(has_a_head_and_an_end) {
  BOOST_TEST(lines_of({}, {}) == kHead + "0\n" + kLayers + "end\n");
}

BOOST_AUTO_TEST_CASE(names_the_files_of_each_version_and_its_state) {
  domain::VersionFiles files;
  files[{slug("quarry"), version("2.0")}] = {
      {"cstrike/addons/amxmodx/configs/q.cfg", 5, false, digest_of('c')},
      {"cstrike/addons/amxmodx/modules/quarry_amxx_i386.so", 70, false, digest_of('b')},
      {"cstrike/empty", 0, false, digest_of('d')},
      {"cstrike/not recorded", 5, false, ""},
      {"cstrike/read me.txt", 5, false, digest_of('e')}};
  BOOST_TEST(lines_of({module_of_two_versions()}, files) ==
             kHead + "70\n" + kLayers +
                 "component quarry module selectable Quarry API\n"
                 "upstream example/quarry\n"
                 "version 2.0 held It crashes.\n"
                 "cccccccccccccccccccccccc c cstrike/addons/amxmodx/configs/q.cfg\n"
                 "bbbbbbbbbbbbbbbbbbbbbbbb m cstrike/addons/amxmodx/modules/quarry_amxx_i386.so\n"
                 "eeeeeeeeeeeeeeeeeeeeeeee - cstrike/read me.txt\n"
                 "version 1.0 latest\n"
                 "end\n");
}

BOOST_AUTO_TEST_CASE(knows_a_component_by_what_loads_it) {
  domain::Component loader = module_of_two_versions();
  loader.loads.metamod_plugin = "addons/q/q_mm.so";
  domain::VersionFiles files;
  files[{slug("quarry"), version("2.0")}] = {{"cstrike/addons/q/helper.so", 1, false, kDigest},
                                             {"cstrike/addons/q/q_mm.so", 1, false, kDigest}};
  const std::string text = lines_of({loader}, files);
  BOOST_TEST(text.find(" - cstrike/addons/q/helper.so\n") != std::string::npos);
  BOOST_TEST(text.find(" m cstrike/addons/q/q_mm.so\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(takes_what_a_build_writes_anew_for_configuration) {
  domain::VersionFiles files;
  files[{slug("quarry"), version("1.0")}] = {{"cstrike/liblist.gam", 1, false, kDigest}};
  BOOST_TEST(lines_of({module_of_two_versions()}, files).find(" c cstrike/liblist.gam\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(leaves_out_components_without_a_version) {
  domain::Component component = module_of_two_versions();
  component.versions.clear();
  BOOST_TEST(lines_of({component}, {}).find("quarry") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_plugins_and_their_binary) {
  domain::PluginFile include = source("afk.inc", 'b');
  include.kind = "inc";
  BOOST_TEST(lines_of({}, {}, {plugin_with({include, source("afk watch.sma", 'a')})}) ==
             kHead + "1\n" + kLayers +
                 "plugin afk AFK Watch\n"
                 "author Somebody\n"
                 "version 2.0 latest afk_watch.amxx\n"
                 "bbbbbbbbbbbbbbbbbbbbbbbb - cstrike/addons/amxmodx/scripting/afk.inc\n"
                 "aaaaaaaaaaaaaaaaaaaaaaaa s cstrike/addons/amxmodx/scripting/afk watch.sma\n"
                 "end\n");
}

BOOST_AUTO_TEST_CASE(tells_where_a_version_does_not_run) {
  KnownPlugin plugin = plugin_with({source("afk.sma", 'a')});
  domain::PluginVersion& first = plugin.versions.front();
  first.verdicts = {{"1.9", "now", domain::CompileResult::ok},
                    {"1.10", "now", domain::CompileResult::ok}};
  first.starts = {{"1.9", "basis", domain::StartVerdict::Result::faulty, {"bad load", "more"}},
                  {"1.10", "basis", domain::StartVerdict::Result::runs}};
  const views::Fingerprints fingerprints{{"1.9", "now"}, {"1.10", "now"}};
  const std::string text =
      known_files("https://site", domain::Catalog(), {}, {plugin}, fingerprints);
  BOOST_TEST(text.find("\nfault 1.9 bad load\n") != std::string::npos);
  BOOST_TEST(text.find("fault 1.10") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(the_script_that_adopts_a_server)

BOOST_AUTO_TEST_CASE(has_the_addresses_of_the_service) {
  base::Config config;
  config.base_url = "https://api";
  config.site_url = "https://it's";
  const std::string script = adopter(views::Urls(config), {});
  BOOST_TEST(script.starts_with("#!/bin/sh\n"));
  BOOST_TEST(script.find("\nservice='https://it'\\''s'\n") != std::string::npos);
  BOOST_TEST(script.find("\nverb='adopt'\n") != std::string::npos);
  BOOST_TEST(script.find("\ndigest='" + std::string(keeper_digest()) + "'\n") != std::string::npos);
  BOOST_TEST(keeper_digest().size() == 64U);
  BOOST_TEST(script.ends_with("\nexit \"$status\"\n}\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
