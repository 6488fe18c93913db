// goldsmith doctor: what it makes of its findings. The tests of a part have what is found about it.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "app/json/value.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

BOOST_FIXTURE_TEST_SUITE(doctors, OperatorHost)

BOOST_AUTO_TEST_CASE(the_failure_counts_what_must_be_fixed_and_not_the_rest) {
  const Called called = call({"doctor", "--json"});
  const json::Value document = json::parse(called.out);
  const json::Array& findings = *document.as_array();
  const auto are = [&](std::string_view health) {
    return std::ranges::count_if(findings, [&](const json::Value& each) {
      return *each.as_object()->at("health").as_string() == health;
    });
  };
  // Neither certificate nor units are there, and the folders are those of a test.
  BOOST_TEST_REQUIRE(are("bad") > 1);
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: " + std::to_string(are("bad")) + " problems must be fixed\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
