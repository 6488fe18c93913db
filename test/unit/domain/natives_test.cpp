// Which natives the files of a server offer (decision S26).
#include "app/domain/natives.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace goldsmith::domain {
namespace {

using Names = std::vector<std::string>;

ManifestFile module_file(const std::string& name, std::optional<Names> natives) {
  return {"cstrike/addons/amxmodx/modules/" + name + "_amxx_i386.so", 1, false, "", natives};
}
ManifestFile core(std::optional<Names> natives) {
  return {std::string(kAmxModXFile), 1, false, "", std::move(natives)};
}

std::string offered(const std::vector<ManifestFiles>& components) {
  std::vector<const ManifestFiles*> parts;
  for (const ManifestFiles& files : components) parts.push_back(&files);
  const auto natives = offered_natives(parts);
  if (!natives) return "unknown";
  std::string text;
  for (const std::string_view name : *natives) text.append(name).append(" ");
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(natives_of_a_server)

BOOST_AUTO_TEST_CASE(amx_mod_x_and_all_modules_offer_theirs) {
  BOOST_TEST(offered({{core(Names{"b", "c"}), module_file("fun", Names{"a", "c"})},
                      {module_file("reapi", Names{"rg"}), {"cstrike/x.so", 1}}}) == "a b c rg ");
}

BOOST_AUTO_TEST_CASE(what_is_not_recorded_or_not_found_claims_nothing) {
  const ManifestFile known = core(Names{"b"});
  BOOST_TEST(offered({}) == "unknown");
  BOOST_TEST(offered({{module_file("fun", Names{"a"})}}) == "unknown");
  BOOST_TEST(offered({{core(std::nullopt)}}) == "unknown");
  BOOST_TEST(offered({{known}, {module_file("fun", std::nullopt)}}) == "unknown");
  BOOST_TEST(offered({{known}, {module_file("fun", Names{})}}) == "unknown");
}

BOOST_AUTO_TEST_CASE(compiled_plugins_of_components_may_register_any) {
  const ManifestFile plugin{"cstrike/addons/amxmodx/plugins/x.amxx", 1};
  BOOST_TEST(offered({{core(Names{"b"}), plugin}}) == "b ");
  BOOST_TEST(offered({{core(Names{"b"})}, {plugin}}) == "unknown");
}

BOOST_AUTO_TEST_CASE(geoip_offers_nothing_without_its_database) {
  const ManifestFiles files{core(Names{"b"}), module_file("geoip", Names{"geoip_code2"})};
  const std::string data = "cstrike/addons/amxmodx/data/";
  BOOST_TEST(offered({files}) == "b ");
  BOOST_TEST(offered({files, {{data + "GeoLite2-Town.mmdb"}}}) == "b ");
  for (const char* name : {"GeoLite2-City.mmdb", "GeoLite2-Country.mmdb", "GeoIP.dat"}) {
    BOOST_TEST(offered({files, {{data + name}}}) == "b geoip_code2 ");
  }
  BOOST_TEST(natives_of(files[1], files).empty());
  BOOST_TEST(natives_of(files[1], {{data + "GeoIP.dat"}}).size() == 1U);
  BOOST_TEST(natives_of(files[0], files).size() == 1U);
  BOOST_TEST(natives_of(core(std::nullopt), files).empty());
}

BOOST_AUTO_TEST_CASE(modules_are_known_by_their_paths) {
  BOOST_TEST(module_of("cstrike/addons/amxmodx/modules/reapi_amxx_i386.so") == "reapi");
  BOOST_TEST(module_of("cstrike/addons/amxmodx/modules/a/reapi_amxx_i386.so") == "");
  BOOST_TEST(module_of("cstrike/addons/amxmodx/modules/reapi.so") == "");
  BOOST_TEST(has_natives(kAmxModXFile));
  BOOST_TEST(!has_natives("cstrike/addons/amxmodx/modules/_amxx_i386.so"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
