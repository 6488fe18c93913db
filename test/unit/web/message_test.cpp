#include "app/web/message.hpp"

#include <boost/test/unit_test.hpp>

#include "app/web/response.hpp"
#include "client.hpp"

using goldsmith::web::is_request;
using goldsmith::web::is_usable;
using goldsmith::web::read_request;
using goldsmith::web::Request;
using goldsmith::web::Response;
using goldsmith::web::response_head;

namespace {

Request read(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return read_request(variables.data());
}

Request request_of(const std::string& method) {
  Request request;
  request.method = method;
  return request;
}

std::string head(const std::string& method, const Response& response) {
  return response_head(request_of(method), response);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(message)

BOOST_AUTO_TEST_CASE(a_request_is_read_from_the_raw_target) {
  const Request request =
      read({"REQUEST_METHOD=GET", "REQUEST_URI=/v1/plugins/a%2Fb?q=x%26y", "REMOTE_ADDR=192.0.2.7",
            "DOCUMENT_URI=/v1/plugins/a/b", "QUERY_STRING=other=1"});
  BOOST_TEST(request.method == "GET");
  BOOST_TEST(request.target == "/v1/plugins/a%2Fb?q=x%26y");
  BOOST_TEST(request.segments == (std::vector<std::string>{"v1", "plugins", "a/b"}),
             boost::test_tools::per_element());
  BOOST_TEST(request.remote_address == "192.0.2.7");
}

BOOST_AUTO_TEST_CASE(an_empty_authorization_is_present) {
  BOOST_TEST(read({"HTTP_AUTHORIZATION="}).authorization.value() == "");
  BOOST_TEST(!read({"HTTP_ACCEPT=*/*"}).authorization);
}

BOOST_AUTO_TEST_CASE(other_headers_have_lower_case_names_and_include_no_secrets) {
  const Request request = read({"HTTP_AUTHORIZATION=Bearer x", "HTTP_IF_NONE_MATCH=\"a\"",
                                "HTTP_USER_AGENT=curl/8=1", "CONTENT_LENGTH=0"});
  BOOST_TEST(request.if_none_match.value() == "\"a\"");
  BOOST_TEST(request.headers.size() == 1);
  BOOST_TEST(request.headers.at("user-agent") == "curl/8=1");
}

BOOST_AUTO_TEST_CASE(a_repeated_header_becomes_one_list_in_order) {
  const Request request =
      read({"HTTP_X_FORWARDED_FOR=192.0.2.1", "HTTP_ACCEPT=*/*", "HTTP_X_FORWARDED_FOR=192.0.2.2"});
  BOOST_TEST(request.headers.at("x-forwarded-for") == "192.0.2.1, 192.0.2.2");
}

BOOST_AUTO_TEST_CASE(the_id_comes_from_the_web_server) {
  BOOST_TEST(read({"REQUEST_ID=3f2a-B_9"}).id == "3f2a-B_9");
}

BOOST_AUTO_TEST_CASE(a_missing_or_invalid_id_is_replaced_by_a_new_one) {
  const std::string first = read({}).id;
  BOOST_TEST(first.size() == 20);
  BOOST_TEST(first != read({}).id);
  BOOST_TEST(read({"REQUEST_ID=a status=200"}).id.size() == 20);
  BOOST_TEST(read({"REQUEST_ID="}).id.size() == 20);
  BOOST_TEST(read({("REQUEST_ID=" + std::string(65, 'a')).c_str()}).id.size() == 20);
}

BOOST_AUTO_TEST_CASE(a_request_without_a_method_or_a_path_is_not_usable) {
  BOOST_TEST(is_usable(read({"REQUEST_METHOD=GET", "REQUEST_URI=/"})));
  BOOST_TEST(!is_usable(read({"REQUEST_METHOD=GET"})));
  BOOST_TEST(!is_usable(read({"REQUEST_URI=/v1/meta"})));
  BOOST_TEST(!is_usable(read({"REQUEST_METHOD=GET", "REQUEST_URI=v1/meta"})));
  BOOST_TEST(!is_usable(read({"REQUEST_METHOD", "REQUEST_URI", "", "="})));
}

BOOST_AUTO_TEST_CASE(a_response_has_a_status_line_with_its_reason) {
  Response response;
  response.body = "abc";
  response.set_header("X-A", "1");
  BOOST_TEST(head("GET", response) == "Status: 200 OK\r\nContent-Length: 3\r\nX-A: 1\r\n\r\n");
  response.status = 422;
  BOOST_TEST(head("GET", response).starts_with("Status: 422 Unprocessable Entity\r\n"));
  response.status = 431;
  BOOST_TEST(head("GET", response).starts_with("Status: 431 Request Header Fields Too Large\r\n"));
}

BOOST_AUTO_TEST_CASE(a_head_response_has_the_length_of_the_body_it_does_not_send) {
  Response response;
  response.body = "abc";
  BOOST_TEST(head("HEAD", response) == "Status: 200 OK\r\nContent-Length: 3\r\n\r\n");
  BOOST_TEST(!goldsmith::web::sends_body(request_of("HEAD"), response));
}

BOOST_AUTO_TEST_CASE(a_head_response_without_a_known_body_has_no_length) {
  BOOST_TEST(head("HEAD", Response{}) == "Status: 200 OK\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(without_a_body_the_length_set_by_the_application_is_sent) {
  Response response;
  response.set_header("content-length", "77");
  BOOST_TEST(head("HEAD", response) == "Status: 200 OK\r\ncontent-length: 77\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_wrong_length_is_never_sent_with_a_body) {
  Response response;
  response.body = "abc";
  response.set_header("content-length", "77");
  BOOST_TEST(head("GET", response) == "Status: 200 OK\r\nContent-Length: 3\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(an_empty_body_has_length_zero_unless_the_status_allows_no_length) {
  Response response;
  BOOST_TEST(head("GET", response) == "Status: 200 OK\r\nContent-Length: 0\r\n\r\n");
  response.status = 204;
  BOOST_TEST(head("OPTIONS", response) == "Status: 204 No Content\r\n\r\n");
  response.status = 304;
  response.body = "abc";
  BOOST_TEST(head("GET", response) == "Status: 304 Not Modified\r\n\r\n");
  BOOST_TEST(!goldsmith::web::sends_body(request_of("GET"), response));
}

BOOST_AUTO_TEST_CASE(the_length_of_a_file_sent_by_nginx_is_left_to_nginx) {
  Response response;
  response.set_header("X-Accel-Redirect", "/archives/x.zip");
  BOOST_TEST(head("GET", response) ==
             "Status: 200 OK\r\nX-Accel-Redirect: /archives/x.zip\r\n\r\n");
}

// As the same response that is not cached, in all three forms.
BOOST_AUTO_TEST_CASE(a_cached_response_is_sent_whole_without_its_body_or_as_not_modified) {
  Response made;
  made.body = "abc";
  made.headers = {{"X-A", "1"}, {"Content-Type", "text/plain"}, {"ETag", "\"t\""}};
  Response response;
  response.cached = std::make_shared<goldsmith::web::CachedResponse>(made);
  response.set_header("X-B", "2");
  response.fixed_lines = "X-C: 3\r\n";
  const auto sent = [&](const std::string& method) {
    return head(method, response) +
           std::string(goldsmith::web::response_rest(request_of(method), response));
  };
  const std::string lines =
      "X-C: 3\r\nX-B: 2\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nX-A: 1\r\nETag: "
      "\"t\"\r\n\r\n";
  BOOST_TEST(sent("GET") == "Status: 200 OK\r\n" + lines + "abc");
  BOOST_TEST(sent("HEAD") == "Status: 200 OK\r\n" + lines);
  response.status = 304;
  for (const char* method : {"GET", "HEAD"}) {
    BOOST_TEST(sent(method) ==
               "Status: 304 Not Modified\r\nX-C: 3\r\nX-B: 2\r\nX-A: 1\r\nETag: \"t\"\r\n\r\n");
  }
}

BOOST_AUTO_TEST_CASE(line_breaks_in_headers_are_always_removed) {
  Response response;
  response.status = 204;
  response.headers.emplace_back("X-A", "1\r\nX-B: 2");
  BOOST_TEST(head("GET", response) == "Status: 204 No Content\r\nX-A: 1X-B: 2\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_request_is_whole_with_its_last_byte_and_no_further_one) {
  const std::string records =
      goldsmith::web::test::request_records(goldsmith::web::test::plain("GET", "/echo"));
  BOOST_TEST(is_request(records).value());
  BOOST_TEST(!is_request(records + '\1').value());
  for (std::size_t size = 0; size < records.size(); ++size) {
    BOOST_TEST(!is_request(records.substr(0, size)).has_value(), size);
  }
  // What it is shows as soon as the header of the first record is there.
  BOOST_TEST(!is_request("GET /v1/meta").value());
}

BOOST_AUTO_TEST_SUITE_END()
