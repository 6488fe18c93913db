#include "app/worker/request_log.hpp"

#include <boost/test/unit_test.hpp>

#include "requests.hpp"
#include "test/support/captured_log.hpp"

namespace goldsmith::worker::test {
namespace {

std::string logged(const web::Request& request, int status) {
  const goldsmith::test::CapturedLog captured;
  web::Response response;
  response.status = status;
  response.reason = "why";
  RequestLog(base::RequestLog::all)
      .log(request, response, {"plugins", "anonymous", std::chrono::microseconds(1234)}, {});
  return captured.text();
}

// What a log that only has notable requests has of one.
std::string noted(int status, std::chrono::microseconds duration) {
  const goldsmith::test::CapturedLog captured;
  web::Response response;
  response.status = status;
  response.reason = "why";
  RequestLog(base::RequestLog::notable)
      .log(request_for("GET", "/v1/plugins"), response, {"plugins", "anonymous", duration}, {});
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

BOOST_AUTO_TEST_CASE(a_request_that_a_front_has_named_is_found_by_that_name_too) {
  web::Request request = request_for("GET", "/v1/plugins");
  request.front_id = "0123456789abcdef0123456789abcdef";
  BOOST_TEST(logged(request, 200)
                 .ends_with(" ms=1.23 tier=anonymous front_id=0123456789abcdef0123456789abcdef\n"));
}

BOOST_AUTO_TEST_CASE(a_key_never_reaches_the_log_wherever_the_client_put_it) {
  const std::string key = "svck_abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  web::Request request = request_for("GET", "/v1/plugins/" + key + "?key=" + key);
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

BOOST_AUTO_TEST_CASE(what_failed_was_refused_or_took_long_is_notable_with_its_reason) {
  using std::chrono::microseconds;
  for (const int status : {500, 502, 503, 401, 403, 429}) {
    BOOST_TEST(noted(status, microseconds(9)).ends_with(" ms=0.01 tier=anonymous reason=why\n"));
  }
  for (const int status : {200, 204, 304, 400, 404, 405, 422}) {
    BOOST_TEST(noted(status, microseconds(999'999)).empty());
  }
  BOOST_TEST(noted(200, microseconds(1'000'000)).ends_with(" ms=1000.00 tier=anonymous\n"));
}

BOOST_AUTO_TEST_CASE(many_refusals_leave_room_for_errors_and_are_told_as_a_number) {
  const goldsmith::test::CapturedLog captured;
  RequestLog log(base::RequestLog::notable);
  const RequestLog::Time start{std::chrono::hours(1)};
  const auto refuse = [&](int status, RequestLog::Time now) {
    web::Response response;
    response.status = status;
    log.log(request_for("GET", "/v1/meta"), response, {}, now);
  };
  for (int i = 0; i < 500; ++i) refuse(429, start + std::chrono::milliseconds(i));
  std::string text = captured.text();
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 10);
  refuse(500, start + std::chrono::seconds(1));
  BOOST_TEST(captured.text().find("status=500") != std::string::npos);
  refuse(429, start + std::chrono::seconds(10));
  BOOST_TEST(captured.text().find("refused requests were not logged requests=490") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
