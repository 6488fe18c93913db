#include "app/web/error.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

using goldsmith::domain::Error;
using goldsmith::domain::ErrorInfo;
using goldsmith::domain::errors;
using goldsmith::domain::info;
using goldsmith::web::error_response;
using goldsmith::web::Response;

namespace {

constexpr std::string_view kDocs = "https://example.org/docs";

}  // namespace

BOOST_AUTO_TEST_SUITE(error)

BOOST_AUTO_TEST_CASE(every_error_has_one_row_and_one_code) {
  std::set<Error> kinds;
  std::set<std::string_view> codes;
  for (const ErrorInfo& row : errors()) {
    kinds.insert(row.error);
    codes.insert(row.code);
  }
  // `unavailable` is the last enumerator.
  BOOST_TEST(kinds.size() == static_cast<std::size_t>(Error::unavailable) + 1);
  BOOST_TEST(codes.size() == kinds.size());
  BOOST_TEST(errors().size() == kinds.size());
}

BOOST_AUTO_TEST_CASE(only_401_403_429_and_422_have_docs) {
  for (const ErrorInfo& row : errors()) {
    const bool expected =
        row.status == 401 || row.status == 403 || row.status == 422 || row.status == 429;
    BOOST_TEST(row.has_docs == expected, row.code);
  }
}

BOOST_AUTO_TEST_CASE(statuses_are_those_of_the_contract) {
  BOOST_TEST(info(Error::bad_request).status == 400);
  BOOST_TEST(info(Error::key_expired).status == 401);
  BOOST_TEST(info(Error::insufficient_scope).status == 403);
  BOOST_TEST(info(Error::no_source_file).status == 404);
  BOOST_TEST(info(Error::method_not_allowed).status == 405);
  BOOST_TEST(info(Error::headers_too_large).status == 431);
  BOOST_TEST(info(Error::compile_failed).status == 422);
  BOOST_TEST(info(Error::query_failed).status == 500);
  BOOST_TEST(info(Error::zip_failed).status == 502);
  BOOST_TEST(info(Error::builder_unavailable).status == 503);
  BOOST_TEST(info(Error::unavailable).code == "unavailable");
}

BOOST_AUTO_TEST_CASE(every_status_has_a_reason_phrase) {
  for (const ErrorInfo& row : errors()) {
    BOOST_TEST(!goldsmith::web::reason_phrase(row.status).empty(), row.status);
  }
  BOOST_TEST(goldsmith::web::reason_phrase(299).empty());
}

BOOST_AUTO_TEST_CASE(an_error_is_an_envelope_with_its_context) {
  const Response response = error_response(
      Error::invalid_kind, kDocs, {{"allowed", goldsmith::json::Array{"amxx", "sma", "zip"}}});
  BOOST_TEST(response.status == 400);
  BOOST_TEST(*response.header("Content-Type") == "application/json; charset=utf-8");
  BOOST_TEST(response.body ==
             R"({"allowed":["amxx","sma","zip"],"error":"invalid_kind","status":false})");
}

BOOST_AUTO_TEST_CASE(context_cannot_change_the_code_or_turn_an_error_into_a_success) {
  const Response response =
      error_response(Error::not_found, kDocs, {{"status", true}, {"error", "other"}});
  BOOST_TEST(response.body == R"({"error":"not_found","status":false})");
}

BOOST_AUTO_TEST_CASE(an_unauthorized_response_has_the_scheme_and_a_link_to_the_docs) {
  const Response response = error_response(Error::key_disabled, kDocs);
  BOOST_TEST(*response.header("WWW-Authenticate") == "Bearer");
  BOOST_TEST(response.body ==
             R"({"docs":"https://example.org/docs","error":"key_disabled","status":false})");
  BOOST_TEST(error_response(Error::not_found, kDocs).header("WWW-Authenticate") == nullptr);
}

BOOST_AUTO_TEST_CASE(retry_after_is_in_the_body_and_in_the_header) {
  const Response response = error_response(Error::rate_limited, kDocs, {{"retry_after", 600}});
  BOOST_TEST(*response.header("Retry-After") == "600");
  BOOST_TEST(response.body.find(R"("retry_after":600)") != std::string::npos);
  BOOST_TEST(error_response(Error::query_failed, kDocs).header("Retry-After") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
