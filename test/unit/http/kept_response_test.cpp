#include "app/http/kept_response.hpp"

#include <boost/test/unit_test.hpp>

using goldsmith::http::KeptResponse;
using goldsmith::http::Response;

namespace {

Response response_with(const std::string& type) {
  Response response;
  response.headers = {{"Vary", "Accept-Encoding"},
                      {type, "text/plain"},
                      {"content-encoding", "gzip"},
                      {"ETag", "\"tag\""}};
  response.body = "body";
  return response;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kept_response)

BOOST_AUTO_TEST_CASE(what_describes_the_body_comes_first) {
  const KeptResponse kept(response_with("Content-Type"));
  BOOST_TEST(kept.etag() == "\"tag\"");
  BOOST_TEST(kept.whole() ==
             "Content-Type: text/plain\r\ncontent-encoding: gzip\r\nContent-Length: 4\r\n"
             "Vary: Accept-Encoding\r\nETag: \"tag\"\r\n\r\nbody");
  BOOST_TEST(kept.head() == kept.whole().substr(0, kept.whole().size() - 4));
  BOOST_TEST(kept.head_of_not_modified() == "Vary: Accept-Encoding\r\nETag: \"tag\"\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(no_value_can_begin_another_header) {
  Response response = response_with("Content-Type");
  response.headers.emplace_back("X-A", "1\r\nX-B: 2");
  BOOST_TEST(KeptResponse(response).head().find("X-A: 1X-B: 2\r\n") != std::string_view::npos);
}

BOOST_AUTO_TEST_SUITE_END()
