#include "app/web/response.hpp"

#include <boost/test/unit_test.hpp>

using goldsmith::web::CachedResponse;
using goldsmith::web::Response;

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

BOOST_AUTO_TEST_SUITE(cached_response)

BOOST_AUTO_TEST_CASE(what_describes_the_body_comes_first) {
  const CachedResponse cached(response_with("Content-Type"));
  BOOST_TEST(cached.etag() == "\"tag\"");
  BOOST_TEST(cached.whole() ==
             "Content-Type: text/plain\r\ncontent-encoding: gzip\r\nContent-Length: 4\r\n"
             "Vary: Accept-Encoding\r\nETag: \"tag\"\r\n\r\nbody");
  BOOST_TEST(cached.head() == cached.whole().substr(0, cached.whole().size() - 4));
  BOOST_TEST(cached.head_of_not_modified() == "Vary: Accept-Encoding\r\nETag: \"tag\"\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(no_value_can_begin_another_header) {
  Response response = response_with("Content-Type");
  response.headers.emplace_back("X-A", "1\r\nX-B: 2");
  BOOST_TEST(CachedResponse(response).head().find("X-A: 1X-B: 2\r\n") != std::string_view::npos);
}

BOOST_AUTO_TEST_SUITE_END()
