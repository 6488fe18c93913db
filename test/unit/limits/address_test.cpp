#include "app/limits/rate_windows.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

namespace goldsmith::limits {
namespace {

BOOST_AUTO_TEST_SUITE(address)

BOOST_AUTO_TEST_CASE(an_ipv4_caller_is_counted_by_its_address) {
  BOOST_TEST(rate_subject("192.0.2.7") == "192.0.2.7");
  BOOST_TEST(rate_subject("192.0.2.7") != rate_subject("192.0.2.8"));
}

BOOST_AUTO_TEST_CASE(ipv6_callers_of_one_64_share_a_bucket) {
  BOOST_TEST(rate_subject("2001:db8:1:2::1") == rate_subject("2001:db8:1:2:ffff:ffff:0:9"));
  BOOST_TEST(rate_subject("2001:db8:1:2::1") != rate_subject("2001:db8:1:3::1"));
}

BOOST_AUTO_TEST_CASE(an_ipv4_mapped_address_is_the_ipv4_one) {
  BOOST_TEST(rate_subject("::ffff:192.0.2.7") == "192.0.2.7");
}

BOOST_AUTO_TEST_CASE(what_is_no_address_still_has_a_bucket) {
  BOOST_TEST(rate_subject("unix:") == "unix:");
}

BOOST_AUTO_TEST_CASE(without_trusted_proxies_a_forwarded_header_is_ignored) {
  BOOST_TEST(TrustedProxies().caller_address("192.0.2.1", "203.0.113.9") == "192.0.2.1");
}

BOOST_AUTO_TEST_CASE(a_trusted_proxy_names_the_caller) {
  const TrustedProxies proxies("10.0.0.0/8, ::1");
  BOOST_TEST(proxies.caller_address("10.1.2.3", "203.0.113.9") == "203.0.113.9");
  BOOST_TEST(proxies.caller_address("10.255.255.255", "203.0.113.9") == "203.0.113.9");
  BOOST_TEST(proxies.caller_address("::1", "203.0.113.9") == "203.0.113.9");
  BOOST_TEST(proxies.caller_address("11.0.0.1", "203.0.113.9") == "11.0.0.1");
}

BOOST_AUTO_TEST_CASE(the_last_untrusted_hop_counts_not_what_the_caller_wrote_before_it) {
  const TrustedProxies proxies("10.0.0.0/8");
  BOOST_TEST(proxies.caller_address("10.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.0.2") ==
             "203.0.113.9");
}

BOOST_AUTO_TEST_CASE(a_malformed_hop_ends_the_search) {
  const TrustedProxies proxies("10.0.0.0/8");
  BOOST_TEST(proxies.caller_address("10.0.0.1", "203.0.113.9, nonsense") == "10.0.0.1");
  BOOST_TEST(proxies.caller_address("10.0.0.1", "") == "10.0.0.1");
}

BOOST_AUTO_TEST_CASE(a_list_item_that_is_no_network_is_named) {
  BOOST_CHECK_EXCEPTION(TrustedProxies("10.0.0.0/8, 10.0.0.0/99"), std::invalid_argument,
                        [](const std::invalid_argument& error) {
                          return std::string(error.what()).find("10.0.0.0/99") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace goldsmith::limits
