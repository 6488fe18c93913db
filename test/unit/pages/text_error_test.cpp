#include "handlers/documents/documents.hpp"

#include <boost/test/unit_test.hpp>

#include "app/web/error.hpp"

namespace goldsmith::handlers::documents {

BOOST_AUTO_TEST_SUITE(errors_as_text)

BOOST_AUTO_TEST_CASE(the_code_comes_first_and_status_and_headers_stay) {
  const web::Response text = text_error(web::error_response(
      domain::Error::rate_limited, "https://host/docs#rate_limited", {{"retry_after", 7}}));
  BOOST_TEST(text.status == 429);
  BOOST_TEST(*text.header("Content-Type") == "text/plain; charset=utf-8");
  BOOST_TEST(*text.header("Retry-After") == "7");
  BOOST_TEST(text.reason == "rate_limited");
  BOOST_TEST(text.body ==
             "error: rate_limited\n"
             "docs: https://host/docs#rate_limited\n"
             "retry_after: 7\n");
}

BOOST_AUTO_TEST_CASE(lists_have_a_line_for_each_element) {
  const json::Object conflict{{"component", "a"}, {"with", "b"}, {"reason", "They clash."}};
  const web::Response text = text_error(web::error_response(
      domain::Error::invalid_selection, "D",
      {{"unknown", json::Array{"x", "y\xFF"}}, {"conflicts", json::Array{conflict}}}));
  BOOST_TEST(text.body ==
             "error: invalid_selection\n"
             "conflicts: component a, reason They clash., with b\n"
             "docs: D\n"
             "unknown: x\n"
             "unknown: y\uFFFD\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::handlers::documents
