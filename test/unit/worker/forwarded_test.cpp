#include "app/worker/dispatch.hpp"

#include <boost/test/unit_test.hpp>

#include "requests.hpp"

namespace goldsmith::worker::test {
namespace {

const std::string kFrontId = "0123456789abcdefABCDEF0123456789";

web::Request forwarded(const std::string& peer, const std::string& front) {
  web::Request request = request_for("GET", "/v1/meta");
  request.remote_address = peer;
  request.headers["x-forwarded-for"] = "203.0.113.9";
  request.headers["x-goldsmith-front"] = front;
  apply_forwarded(limits::TrustedProxies("10.0.0.0/8"), request);
  return request;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(forwarded_requests)

BOOST_AUTO_TEST_CASE(a_trusted_proxy_names_the_caller_and_the_request) {
  const web::Request request = forwarded("10.0.0.1", kFrontId);
  BOOST_TEST(request.remote_address == "203.0.113.9");
  BOOST_TEST(request.front_id == kFrontId);
  BOOST_TEST(request.id == "id-1");
}

BOOST_AUTO_TEST_CASE(an_unlisted_peer_names_neither_caller_nor_request) {
  const web::Request request = forwarded("192.0.2.1", kFrontId);
  BOOST_TEST(request.remote_address == "192.0.2.1");
  BOOST_TEST(request.front_id == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_id_names_no_request) {
  for (const std::string& front :
       {std::string("1"), std::string(), kFrontId.substr(1), kFrontId + "0",
        kFrontId.substr(1) + "g", kFrontId + ", " + kFrontId, " " + kFrontId.substr(1)}) {
    BOOST_TEST_CONTEXT(front) { BOOST_TEST(forwarded("10.0.0.1", front).front_id == ""); }
  }
}

BOOST_AUTO_TEST_CASE(a_request_without_such_headers_is_that_of_its_peer) {
  web::Request request = request_for("GET", "/v1/meta");
  request.remote_address = "10.0.0.1";
  apply_forwarded(limits::TrustedProxies("10.0.0.0/8"), request);
  BOOST_TEST(request.remote_address == "10.0.0.1");
  BOOST_TEST(request.front_id == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
