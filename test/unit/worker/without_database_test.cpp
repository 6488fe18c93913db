// Dispatch while the database is down.
#include <boost/test/unit_test.hpp>

#include "app/worker/dispatch.hpp"
#include "handlers/routes.hpp"
#include "test/support/captured_log.hpp"
#include "world.hpp"

namespace goldsmith::worker::test {
namespace {

db::ConnectionSettings nowhere() {
  db::ConnectionSettings settings;
  settings.servers.front().socket = "/nonexistent/no-database.sock";
  settings.schema = "goldsmith";
  return settings;
}

struct WithoutDatabase : World {
  WithoutDatabase() : World(nowhere()) {}
};

// The template with something in place of its placeholders.
std::string target_of(const handlers::Route& route) {
  std::string target(route.path);
  for (const std::string_view name : {"{slug}", "{version}"}) {
    const std::size_t at = target.find(name);
    if (at != std::string::npos) target.replace(at, name.size(), "x");
  }
  return target;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(without_database, WithoutDatabase)

BOOST_AUTO_TEST_CASE(every_endpoint_fails_with_a_fixed_body_and_none_throws) {
  const goldsmith::test::CapturedLog captured;
  for (const handlers::Route& route : handlers::routes()) {
    for (const std::string method : {"GET", "HEAD"}) {
      const Dispatched dispatched = ask(method, target_of(route));
      BOOST_TEST_CONTEXT(method << ' ' << route.path) {
        BOOST_TEST(dispatched.response.status == 500);
        BOOST_TEST(dispatched.response.body ==
                   (method == "GET" ? R"({"error":"query_failed","status":false})" : ""));
        BOOST_TEST(header(dispatched, "Content-Type") == "application/json; charset=utf-8");
        BOOST_TEST(header(dispatched, "ETag") == "(none)");
        BOOST_TEST(header(dispatched, "Access-Control-Allow-Origin") == "*");
      }
    }
  }
  BOOST_TEST(captured.text().find("id=id-1 error=query_failed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_preflight_is_answered_all_the_same) {
  BOOST_TEST(ask("OPTIONS", "/v1/meta").response.status == 204);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
