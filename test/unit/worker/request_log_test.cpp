#include "app/worker/request_log.hpp"

#include <boost/test/unit_test.hpp>

#include "captured_log.hpp"
#include "requests.hpp"

namespace goldsmith::worker::test {
namespace {

std::string logged(const http::Request& request, int status) {
  const CapturedLog captured;
  http::Response response;
  response.status = status;
  log_request(request, response, {"plugins", "anonymous", std::chrono::microseconds(1234)});
  return captured.text();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(request_log)

BOOST_AUTO_TEST_CASE(a_request_is_one_line_of_named_fields) {
  const std::string line = logged(request_for("GET", "/v1/plugins?q=x"), 200);
  BOOST_TEST(line.ends_with(
      "request id=id-1 method=GET route=plugins status=200 ms=1.23 tier=anonymous\n"));
  BOOST_TEST(std::count(line.begin(), line.end(), '\n') == 1);
}

BOOST_AUTO_TEST_CASE(a_key_never_reaches_the_log_wherever_the_client_put_it) {
  const std::string key = "svck_abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  http::Request request = request_for("GET", "/v1/plugins/" + key + "?key=" + key);
  request.authorization = "Bearer " + key;
  request.headers["x-api-key"] = key;
  BOOST_TEST(logged(request, 404).find("svck_") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_hostile_method_can_not_forge_a_field_or_a_line) {
  const std::string line = logged(request_for("A status=200\nB" + std::string(500, 'x'), "/"), 405);
  BOOST_TEST(line.find("method=\"A status=200\\nB") != std::string::npos);
  BOOST_TEST(line.find(" status=405 ") != std::string::npos);
  BOOST_TEST(line.size() < 200);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
