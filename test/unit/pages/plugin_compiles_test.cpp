#include "handlers/pages/plugin_detail.hpp"

#include <boost/test/unit_test.hpp>

using namespace goldsmith;
using namespace goldsmith::handlers::pages;
using domain::CompileResult;

namespace {

const handlers::views::Fingerprints kInstalled{{"1.9", "nine"}, {"1.10", "ten"}};

domain::PluginVersion checked(std::vector<domain::CompileVerdict> verdicts) {
  domain::PluginVersion version;
  version.version = "1.0";
  version.verdicts = std::move(verdicts);
  return version;
}

domain::CompileVerdict rejected(const char* line, const char* fingerprint, const char* errors) {
  return {line, fingerprint, CompileResult::failed, {{.hint = line, .errors = errors}}};
}

domain::Component platform(const domain::Slug& slug, const char* line, bool is_default) {
  domain::Component component;
  component.slug = slug;
  component.layer = domain::Layer::amxmodx;
  component.is_default = is_default;
  component.loads.toolchain = line;
  component.versions.emplace_back();
  component.versions.back().version = "1.0";
  return component;
}

// ReAPI, whose module offers a function.
domain::Catalog providing_catalog() {
  domain::Component component;
  component.slug = "reapi";
  component.name = "ReAPI";
  component.layer = domain::Layer::module;
  component.versions.emplace_back();
  component.versions.back().version = "1.0";
  domain::ManifestFile module{"cstrike/addons/amxmodx/modules/ReAPI_amxx_i386.so", 1};
  module.natives = std::vector<std::string>{"rg_x"};
  component.versions.back().files = {module};
  return domain::Catalog({component});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plugin_compiles)

BOOST_AUTO_TEST_CASE(the_own_toolchain_is_left_for_one_that_works) {
  const auto line = [](const domain::PluginVersion& version) {
    return working_line(version, "1.9", kInstalled);
  };
  BOOST_TEST(line(checked({})) == "1.9");
  BOOST_TEST(line(checked({{"1.10", "ten", CompileResult::ok}})) == "1.9");
  BOOST_TEST(line(checked({{"1.9", "older", CompileResult::failed}})) == "1.9");
  const auto failed = rejected("1.9", "nine", "e");
  BOOST_TEST(line(checked({failed})) == "1.10");
  BOOST_TEST(line(checked({failed, {"1.10", "ten", CompileResult::ok}})) == "1.10");
  BOOST_TEST(line(checked({failed, rejected("1.10", "ten", "e")})) == "");
  BOOST_TEST(working_line(checked({}), "1.8.2", kInstalled) == "1.10");  // it is not installed
  BOOST_TEST(working_line(checked({}), "1.8.2", {}) == "1.8.2");
}

BOOST_AUTO_TEST_CASE(a_version_that_no_installed_toolchain_compiles_is_hopeless) {
  const auto both = checked({rejected("1.9", "nine", "e"), rejected("1.10", "ten", "e")});
  BOOST_TEST(is_hopeless(both, kInstalled));
  BOOST_TEST(!is_hopeless(checked({rejected("1.9", "nine", "e")}), kInstalled));
  BOOST_TEST(!is_hopeless(checked({}), kInstalled));
  BOOST_TEST(!is_hopeless(both, {}));
}

BOOST_AUTO_TEST_CASE(a_server_has_a_platform_on_which_a_version_works) {
  const domain::Catalog all({platform("amxx-nine", "1.9", false),
                             platform("amxx-ten", "1.10", true),
                             platform("amxx-old", "1.8.2", false)});
  const auto found = [&](std::vector<domain::PluginVersion> versions) -> std::string {
    std::vector<const domain::PluginVersion*> pointers;
    for (const domain::PluginVersion& version : versions) pointers.push_back(&version);
    const domain::Component* best = platform_for(pointers, kInstalled, all);
    return best == nullptr ? "none" : best->slug.str();
  };
  const domain::CompileVerdict on_nine{"1.9", "nine", CompileResult::ok};
  const auto not_on_nine = rejected("1.9", "nine", "e");
  const auto not_on_ten = rejected("1.10", "ten", "e");
  BOOST_TEST(found({checked({})}) == "amxx-ten");
  BOOST_TEST(found({checked({on_nine})}) == "amxx-ten");
  BOOST_TEST(found({checked({on_nine, not_on_ten})}) == "amxx-nine");
  BOOST_TEST(found({checked({not_on_ten})}) == "amxx-nine");
  BOOST_TEST(found({checked({not_on_nine, not_on_ten}), checked({})}) == "amxx-ten");
  // 1.8.2 is not installed, so that nothing can be compiled for its component.
  BOOST_TEST(found({checked({not_on_nine, not_on_ten})}) == "none");
  BOOST_TEST(found({}) == "none");
  BOOST_TEST(platform_for({}, kInstalled, domain::Catalog()) == nullptr);
  const auto working = working_platforms(checked({on_nine, not_on_ten}), kInstalled, all);
  BOOST_REQUIRE(working.size() == 1U);
  BOOST_TEST(working[0]->slug == "amxx-nine");
}

BOOST_AUTO_TEST_CASE(toolchains_with_the_same_errors_are_named_together) {
  const auto same = rejections_of(
      checked({rejected("1.9", "nine", "e"), rejected("1.10", "ten", "e")}), kInstalled);
  BOOST_REQUIRE(same.size() == 1U);
  BOOST_TEST(*same[0].as_object()->at("lines").as_string() == "1.9, 1.10");
  const auto different = rejections_of(
      checked({rejected("1.9", "nine", "e"), rejected("1.10", "ten", "f")}), kInstalled);
  BOOST_TEST(different.size() == 2U);
  BOOST_TEST(rejections_of(checked({{"1.9", "nine", CompileResult::failed}}), kInstalled).empty());
}

BOOST_AUTO_TEST_CASE(what_works_says_no_more_than_checks_and_starts_showed) {
  using enum domain::StartVerdict::Result;
  domain::PluginVersion version =
      checked({{"1.9", "nine", CompileResult::ok}, {"1.10", "ten", CompileResult::ok}});
  const auto text = [&](std::vector<domain::StartVerdict> starts) {
    version.starts = std::move(starts);
    return works_text(version, kInstalled);
  };
  BOOST_TEST(text({}) == "Compiles with AMX Mod X 1.9, 1.10");
  BOOST_TEST(text({{"1.10", "basis", refused}}) == "Compiles with AMX Mod X 1.9, 1.10");
  BOOST_TEST(text({{"1.9", "basis", runs}}) ==
             "Runs with AMX Mod X 1.9 · Compiles with AMX Mod X 1.10");
  BOOST_TEST(text({{"1.9", "basis", faulty}, {"1.10", "basis", faulty}}) ==
             "Does not run with AMX Mod X 1.9, 1.10");
  BOOST_TEST(text({{"1.9", "basis", runs}, {"1.10", "basis", faulty}}) ==
             "Runs with AMX Mod X 1.9 · Does not run with AMX Mod X 1.10");
  // What was started is known to have compiled with another toolchain, not with this one.
  version.verdicts = {{"1.9", "older", CompileResult::ok}, rejected("1.10", "ten", "e")};
  BOOST_TEST(text({{"1.9", "basis", runs}}) == "Not checked yet");
  version.verdicts.push_back(rejected("1.9", "nine", "e"));
  BOOST_TEST(text({}) == "Does not compile");
}

BOOST_AUTO_TEST_CASE(needs_have_the_names_of_components_and_modules) {
  const auto all = std::make_shared<const domain::Catalog>(providing_catalog());
  const domain::Component* reapi = all->find("reapi");
  creator::ComponentOffers offers;
  offers.add(*reapi, reapi->versions.front().files);
  domain::PluginNeeds credits;
  credits.natives = {{}, {"credits_get", "credits_set"}};
  const creator::Providers providers(
      all, offers,
      {{"credits", "Credits", "1.0", {{"1.9", "nine", CompileResult::ok, {{.needs = credits}}}}}},
      kInstalled);
  const auto text = [&](std::vector<domain::PluginNeed> required,
                        std::vector<std::string> natives = {}) {
    domain::PluginNeeds needs;
    needs.required = std::move(required);
    needs.natives = {std::move(natives), {}};
    return needs_text(checked({{"1.9", "nine", CompileResult::ok, {{.needs = needs}}}}),
                      {kInstalled, providers});
  };
  BOOST_TEST(text({}) == "");
  BOOST_TEST(text({{"cstrike"}, {"reapi", false, "ReAPI"}, {"sqlx", true, "mysql"}, {"zz"}}) ==
             "ReAPI, CStrike, SQLX, zz");
  BOOST_TEST(needs_text(checked({}), {kInstalled, providers}) == "");
  // What a source declares itself is needed, too, once for each provider.
  BOOST_TEST(text({{"cstrike"}, {"reapi", false, "ReAPI"}},
                  {"credits_get", "credits_set", "rg_x"}) == "ReAPI, Credits, CStrike");
  BOOST_TEST(text({}, {"rg_x"}) == "ReAPI");
  BOOST_TEST(text({}, {"a", "b", "c", "credits_get", "d"}) == "Credits, a(), b(), c() and 1 more");
}

BOOST_AUTO_TEST_SUITE_END()
