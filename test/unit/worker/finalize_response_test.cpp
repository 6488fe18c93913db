#include "app/worker/responses.hpp"

#include <boost/test/unit_test.hpp>

#include "app/web/error.hpp"
#include "requests.hpp"

namespace goldsmith::worker::test {
namespace {

web::Response finished(web::Response response, const std::optional<std::string>& condition = {},
                       const std::string& method = "GET") {
  web::Request request = request_for(method, "/v1/meta");
  request.if_none_match = condition;
  complete_response(request, response);
  answer_condition(request, response);
  return response;
}

web::Response page(int number) { return web::json_ok({{"page", number}}); }

web::Response file() {
  web::Response response;
  response.set_header("Content-Type", "application/octet-stream");
  response.body = "bytes";
  return response;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(finishing)

BOOST_AUTO_TEST_CASE(a_json_answer_has_a_strong_tag_of_its_bytes) {
  const web::Response response = finished(page(1));
  BOOST_TEST(*response.header("ETag") == web::strong_etag(page(1).body));
  BOOST_TEST(response.status == 200);
  BOOST_TEST(!response.body.empty());
  BOOST_TEST(*response.header("ETag") != *finished(page(2)).header("ETag"));
}

BOOST_AUTO_TEST_CASE(a_client_that_has_the_bytes_is_told_so_without_a_body) {
  const std::string tag = web::strong_etag(page(1).body);
  for (const std::string method : {"GET", "HEAD"}) {
    for (const std::string& condition : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
      const web::Response response = finished(page(1), condition, method);
      BOOST_TEST(response.status == 304);
      BOOST_TEST(response.body.empty());
      BOOST_TEST(*response.header("ETag") == tag);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_client_that_has_other_bytes_gets_these) {
  const web::Response response = finished(page(1), web::strong_etag(page(2).body));
  BOOST_TEST(response.status == 200);
  BOOST_TEST(response.body == page(1).body);
}

BOOST_AUTO_TEST_CASE(an_error_has_no_tag_and_is_never_not_modified) {
  const web::Response response = finished(web::error_response(domain::Error::not_found, ""), "*");
  BOOST_TEST(response.status == 404);
  BOOST_TEST(response.header("ETag") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_download_is_not_tagged_and_keeps_a_tag_of_its_own) {
  BOOST_TEST(finished(file(), "*").status == 200);
  BOOST_TEST(finished(file()).header("ETag") == nullptr);
  web::Response tagged = file();
  tagged.set_header("ETag", "\"own\"");
  BOOST_TEST(*finished(tagged, "*").header("ETag") == "\"own\"");
  BOOST_TEST(finished(tagged, "*").status == 200);
}

BOOST_AUTO_TEST_CASE(an_answer_whose_body_was_not_made_is_not_tagged) {
  web::Response response = page(1);
  response.body.clear();
  BOOST_TEST(finished(response, "*", "HEAD").header("ETag") == nullptr);
  BOOST_TEST(finished(response, "*", "HEAD").status == 200);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
