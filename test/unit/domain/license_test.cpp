#include "app/domain/license.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::domain {
namespace licenses {
namespace {

using Terms = std::vector<LicenseTerm>;

std::string problem(std::string_view text) {
  try {
    parse_license(text);
  } catch (const InvalidLicense& error) {
    return error.what();
  }
  return "none";
}

}  // namespace
}  // namespace licenses

BOOST_AUTO_TEST_SUITE(licenses)

BOOST_AUTO_TEST_CASE(an_expression_is_made_of_identifiers_of_the_list) {
  BOOST_CHECK((parse_license("MIT").terms == Terms{{"MIT", false, ""}}));
  BOOST_CHECK((parse_license("GPL-3.0-or-later WITH GCC-exception-3.1").terms ==
               Terms{{"GPL-3.0-or-later", false, "GCC-exception-3.1"}}));
  BOOST_CHECK(
      (parse_license(" (MIT OR Apache-2.0)  AND LicenseRef-Valve.1 ").terms ==
       Terms{{"MIT", false, ""}, {"Apache-2.0", false, ""}, {"LicenseRef-Valve.1", false, ""}}));
  BOOST_CHECK((parse_license("EPL-1.0+").terms == Terms{{"EPL-1.0", true, ""}}));
  BOOST_TEST(parse_license("LicenseRef-Unknown").terms[0].is_reference());
  BOOST_TEST(license_ids().size() > 400U);
}

BOOST_AUTO_TEST_CASE(deprecated_identifiers_are_legal) {
  for (const char* id : {"GPL-2.0", "GPL-3.0", "LGPL-2.1", "GPL-2.0+"}) {
    BOOST_TEST(problem(id) == "none");
    BOOST_TEST(is_deprecated_license(parse_license(id).terms[0].id));
  }
  BOOST_TEST(!is_deprecated_license("GPL-2.0-only"));
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused_with_the_reason) {
  BOOST_TEST(problem("mit") == "\"mit\" is not an identifier of SPDX's list of licenses");
  BOOST_TEST(problem("Proprietary (Valve)") ==
             "\"Proprietary\" is not an identifier of SPDX's list of licenses");
  BOOST_TEST(problem("LicenseRef-") ==
             "\"LicenseRef-\" is not an identifier of SPDX's list of licenses");
  BOOST_TEST(problem("LicenseRef-a_b") ==
             "\"LicenseRef-a_b\" is not an identifier of SPDX's list of licenses");
  BOOST_TEST(problem("MIT WITH luck") ==
             "\"luck\" is not an identifier of SPDX's list of license exceptions");
  BOOST_TEST(problem("") == "an identifier is missing at its end");
  BOOST_TEST(problem("MIT AND") == "an identifier is missing at its end");
  BOOST_TEST(problem("OR MIT") == "an identifier is missing before \"OR\"");
  BOOST_TEST(problem("MIT GPL-2.0-only") == "\"GPL-2.0-only\" is behind the end of the expression");
  BOOST_TEST(problem("(MIT") == "a parenthesis is not closed");
  BOOST_TEST(problem("MIT)") == "\")\" is behind the end of the expression");
  BOOST_TEST(problem(std::string(100, '(') + "MIT" + std::string(100, ')')) ==
             "its parentheses are nested too deeply");
}

BOOST_AUTO_TEST_CASE(the_unknown_identifier_is_told) {
  try {
    parse_license("MIT OR GPL3");
    BOOST_FAIL("an unknown identifier was taken");
  } catch (const InvalidLicense& error) {
    BOOST_TEST(error.unknown() == "GPL3");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
