#include "app/worker/responses.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <stdexcept>

#include "app/base/file.hpp"
#include "db/database.hpp"
#include "test/support/captured_log.hpp"

namespace goldsmith::worker::test {
namespace {

web::Response failure_of(const std::function<void()>& work) {
  const base::TempDir folder;
  host::Metrics metrics(folder.path() / "metrics");
  try {
    work();
  } catch (...) {
    return failure_response("id-7", metrics);
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(failure)

BOOST_AUTO_TEST_CASE(a_database_error_is_query_failed_and_its_text_is_for_the_log) {
  const goldsmith::test::CapturedLog captured;
  const web::Response response =
      failure_of([] { throw db::Error(db::Error::Kind::other, "Table 'secret' doesn't exist"); });
  BOOST_TEST(response.status == 500);
  BOOST_TEST(response.body == R"({"error":"query_failed","status":false})");
  BOOST_TEST(captured.text().find("id=id-7 error=query_failed") != std::string::npos);
  BOOST_TEST(captured.text().find("Table 'secret' doesn't exist") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(any_other_exception_is_an_internal_error) {
  const goldsmith::test::CapturedLog captured;
  const web::Response response = failure_of([] { throw std::logic_error("/srv/secret"); });
  BOOST_TEST(response.status == 500);
  BOOST_TEST(response.body == R"({"error":"internal_error","status":false})");
  BOOST_TEST(captured.text().find("id=id-7 error=internal_error cause=/srv/secret") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_exception_class_is_caught_too) {
  const goldsmith::test::CapturedLog captured;
  BOOST_TEST(failure_of([] { throw 42; }).body == R"({"error":"internal_error","status":false})");
  BOOST_TEST(captured.text().find("id=id-7") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_text_of_an_exception_can_not_forge_a_line_of_the_log) {
  const goldsmith::test::CapturedLog captured;
  failure_of([] { throw std::runtime_error("x\nrequest id=forged"); });
  BOOST_TEST(captured.text().find("\nrequest") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
