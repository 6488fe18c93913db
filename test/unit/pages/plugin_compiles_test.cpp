#include "handlers/pages/plugin_compiles.hpp"

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
}

BOOST_AUTO_TEST_CASE(a_version_that_no_installed_toolchain_compiles_is_hopeless) {
  const auto both = checked({rejected("1.9", "nine", "e"), rejected("1.10", "ten", "e")});
  BOOST_TEST(is_hopeless(both, kInstalled));
  BOOST_TEST(!is_hopeless(checked({rejected("1.9", "nine", "e")}), kInstalled));
  BOOST_TEST(!is_hopeless(checked({}), kInstalled));
  BOOST_TEST(!is_hopeless(both, {}));
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

BOOST_AUTO_TEST_CASE(needs_have_the_names_of_components_and_modules) {
  const db::ModuleOwners owners{{"reapi", {"reapi", "ReAPI"}}};
  const auto text = [&](std::vector<domain::PluginNeed> required) {
    domain::PluginNeeds needs;
    needs.required = std::move(required);
    return needs_text(checked({{"1.9", "nine", CompileResult::ok, {{.needs = needs}}}}),
                      {kInstalled, owners});
  };
  BOOST_TEST(text({}) == "");
  BOOST_TEST(text({{"cstrike"}, {"reapi", false, "ReAPI"}, {"sqlx", true, "mysql"}, {"zz"}}) ==
             "ReAPI, CStrike, SQLX, zz");
  BOOST_TEST(needs_text(checked({}), {kInstalled, owners}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
