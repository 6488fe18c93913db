#include "app/worker/dispatch.hpp"

#include <boost/test/unit_test.hpp>

#include "requests.hpp"

namespace goldsmith::worker::test {

using domain::Error;

BOOST_AUTO_TEST_SUITE(request_size)

BOOST_AUTO_TEST_CASE(a_target_has_eight_kilobytes) {
  const std::string start = "/v1/plugins?q=";
  const std::string longest = start + std::string(8192 - start.size(), 'a');
  BOOST_TEST(!too_large(request_for("GET", longest)));
  BOOST_TEST((too_large(request_for("GET", longest + "a")) == Error::uri_too_long));
}

BOOST_AUTO_TEST_CASE(one_header_has_eight_kilobytes_with_its_name) {
  web::Request request = request_for("GET", "/v1/meta");
  request.headers["x-large"] = std::string(8192 - 7, 'a');
  BOOST_TEST(!too_large(request));
  request.headers["x-large"] += "a";
  BOOST_TEST((too_large(request) == Error::headers_too_large));
}

BOOST_AUTO_TEST_CASE(the_headers_that_are_read_apart_count_as_well) {
  web::Request request = request_for("GET", "/v1/meta");
  request.authorization = std::string(8193, 'a');
  BOOST_TEST((too_large(request) == Error::headers_too_large));
  request.authorization.reset();
  request.if_none_match = std::string(8193, 'a');
  BOOST_TEST((too_large(request) == Error::headers_too_large));
}

BOOST_AUTO_TEST_CASE(all_headers_have_thirty_two_kilobytes) {
  web::Request request = request_for("GET", "/v1/meta");
  for (const char* name : {"a", "b", "c", "d"}) request.headers[name] = std::string(8191, 'x');
  BOOST_TEST(!too_large(request));
  request.headers["e"] = "";
  BOOST_TEST((too_large(request) == Error::headers_too_large));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
