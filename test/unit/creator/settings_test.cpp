// Settings that travel with a selection (decision S42).
#include <boost/test/unit_test.hpp>

#include "app/creator/settings.hpp"
#include "app/domain/failure.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace setting_values {
namespace {

const std::vector<domain::PluginCvar> kOfPlugins{{"amx_Fun", "1", ""}, {"my_password", "", ""}};

// The reason of a refusal; "" = none.
std::string refusal(std::string_view text) try {
  check_size(parse_settings(text));
  check_settings(parse_settings(text), kOfPlugins);
  return "";
} catch (const domain::Failure& failure) {
  BOOST_TEST(*failure.fields.at("parameter").as_string() == "cfg");
  BOOST_TEST(*failure.fields.at("reason").as_string() == failure.cause);
  return failure.cause;
}

}  // namespace
}  // namespace setting_values

BOOST_AUTO_TEST_SUITE(setting_values)

BOOST_AUTO_TEST_CASE(lines_are_sorted_and_the_last_one_of_a_name_counts) {
  BOOST_TEST(settings_text(parse_settings("mp_timelimit 30\r\n\n// more\n hostname\t \"A b, c\" \n"
                                          "MP_TIMELIMIT 20\nnone")) ==
             "hostname A b, c\nMP_TIMELIMIT 20\nnone ");
  BOOST_TEST(parse_settings(" \n//x\n").empty());
}

BOOST_AUTO_TEST_CASE(known_settings_with_values_that_they_can_have_pass) {
  BOOST_TEST(refusal("mp_freezetime 0\nmp_buytime -0.5\nsv_maxunlag 0.5\nAMX_fun whatever") == "");
  BOOST_TEST(refusal("hostname [PL] ; // 100% {x} ąć") == "");
  BOOST_TEST(refusal("sv_downloadurl http://example.org/cs/") == "");
}

BOOST_AUTO_TEST_CASE(what_can_not_be_set_so_is_refused_with_the_way_out) {
  for (const char* text :
       {"quit 1", "rcon_password x", "my_password x", "exec evil.cfg", "mp_x 1"}) {
    BOOST_TEST(refusal(text).ends_with("leave it out of \"cfg\"."), text);
  }
  BOOST_TEST(refusal("mp_freezetime 61") ==
             "\"mp_freezetime\" can be a number from 0 to 60; \"61\" is none of these.");
  for (const char* value :
       {"-1", "1e1", "x", "0x1", ".5", "5.", "1 2", "9999999999", "--1", "nan"}) {
    BOOST_TEST(refusal(std::string("mp_freezetime ") + value) != "", value);
  }
  BOOST_TEST(refusal("hostname") ==
             "\"hostname\" has no value: each line of \"cfg\" is a name and a value.");
  BOOST_TEST(refusal("hostname \"a\" b\"") ==
             "\"hostname\" can have one line of up to 127 bytes without quotation marks.");
  BOOST_TEST(refusal(std::string("hostname ") + std::string(128, 'a')) != "");
  BOOST_TEST(refusal("hostname a\x01") != "");
  BOOST_TEST(refusal("hostname a\rquit") != "");
}

BOOST_AUTO_TEST_CASE(the_number_and_size_of_settings_are_bounded) {
  std::string many;
  for (int i = 0; i < 65; ++i) many += "a" + std::to_string(i) + " 1\n";
  BOOST_TEST(refusal(many) == "A selection may have at most 64 settings; this one has 65.");
  std::string large;
  for (int i = 0; i < 20; ++i) {
    large += "a" + std::to_string(i) + " " + std::string(120, 'b') + "\n";
  }
  BOOST_TEST(refusal(large).starts_with("The settings of a selection may have at most 2048 bytes"));
}

BOOST_AUTO_TEST_CASE(a_build_executes_settings_last_and_has_them_in_its_address) {
  SelectionRequest request = asking("engine,game,loader,platform", "one");
  request.settings = settings_text(parse_settings("mp_freezetime 5\nhostname A & b"));
  const domain::Catalog catalog = catalog_of(usual_stack());
  PlanInput input{request, valid(request, catalog, {"one"}), {compiled("one", "svc_settings")}, {}};
  input.settings_binary = "binary";
  const Plan plan = make_plan(std::move(input));
  const auto text_of = [&](std::string_view path) {
    const PlannedFile* file = find_file(plan, path);
    return file == nullptr ? "" : std::get<std::string>(file->source);
  };
  BOOST_TEST(text_of(kSettingsPath).ends_with("\nhostname \"A & b\"\nmp_freezetime \"5\"\n"));
  BOOST_TEST(text_of(kPluginListPath).ends_with("\nsvc_settings.amxx\n"));
  BOOST_TEST(text_of("cstrike/addons/amxmodx/plugins/svc_settings.amxx") == "binary");
  BOOST_TEST(plan.requested.at(0).reason == "Its binary was left out.");
  BOOST_TEST(plan.download_query.ends_with("&cfg=hostname%20A%20%26%20b%0Amp_freezetime%205"));
  BOOST_TEST(plan.build_query.ends_with("&cfg=hostname%20A%20%26%20b%0Amp_freezetime%205"));

  request.settings = settings_text(parse_settings("mp_freezetime 6\nhostname A & b"));
  PlanInput other{request, valid(request, catalog, {"one"}), {compiled("one", "svc_settings")}, {}};
  other.settings_binary = "binary";
  BOOST_TEST(make_plan(std::move(other)).build_hash != plan.build_hash);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
