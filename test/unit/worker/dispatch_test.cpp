// The order of checks of decision R1 and what every response carries, on a real database.
#include "app/worker/dispatch.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "db/addon_store.hpp"
#include "db/plugin_store.hpp"
#include "test/support/test_database.hpp"
#include "test/support/utc.hpp"
#include "world.hpp"

namespace goldsmith::worker::test {
namespace {

struct Served : private goldsmith::test::TestDatabase, World {
  Served() : World(settings()) {}

  void set(const char* name, const char* value) {
    setting_store.set(name, value);
    state.bump_generation();
  }

  // Statements that the worker's connection has run, this one included.
  std::int64_t queries() {
    const auto rows = database.query("SHOW SESSION STATUS LIKE 'Questions'");
    BOOST_REQUIRE(rows->next());
    return std::stoll(rows->text(2));
  }

  // The value of an Authorization header with a new key.
  std::string add_key(std::vector<std::string> scopes) {
    const std::string key = "svck_" + base::random_alphanumeric(40);
    domain::ApiKey row;
    row.name = "test";
    row.prefix = key.substr(0, 9);
    row.sha256 = base::sha256_hex(key);
    row.scopes = std::move(scopes);
    row.per_minute = 100;
    row.per_day = 1000;
    row.created_at = "2024-01-01 00:00:00"_utc;
    keys.create(row);
    return "Bearer " + key;
  }
};

std::string code_of(const Dispatched& dispatched) {
  const json::Value body = json::parse(dispatched.response.body);
  return *body.as_object()->at("error").as_string();
}

void check_error(const Dispatched& dispatched, int status, std::string_view code) {
  BOOST_TEST(dispatched.response.status == status);
  BOOST_TEST(header(dispatched, "Content-Type") == "application/json; charset=utf-8");
  BOOST_TEST(code_of(dispatched) == code);
}

// A plugin "source" with a version "1.0" that is its source.
domain::Plugin source_plugin() {
  domain::PluginFile file;
  file.filename = "source.sma";
  file.kind = "sma";
  file.content = "x";
  domain::PluginVersion version;
  version.version = "1.0";
  version.created_at = "2024-01-01 00:00:00"_utc;
  version.status = domain::Status::published;
  version.files = {file};
  domain::Plugin plugin;
  plugin.slug = "source";
  plugin.name = plugin.category = "source";
  plugin.toolchain = "1.9";
  plugin.status = domain::Status::published;
  plugin.versions = {version};
  return plugin;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dispatching, Served)

BOOST_AUTO_TEST_CASE(an_endpoint_is_answered_with_its_route_and_tier) {
  const Dispatched dispatched = ask("GET", "/v1/meta?x=y");
  BOOST_TEST(dispatched.response.status == 200);
  BOOST_TEST(dispatched.route == "meta");
  BOOST_TEST(dispatched.tier == "anonymous");
  BOOST_TEST(header(dispatched, "RateLimit-Limit") == "600");
  BOOST_TEST(header(dispatched, "RateLimit-Remaining") == "599");
  BOOST_TEST(header(dispatched, "RateLimit-Reset") == "60");
}

BOOST_AUTO_TEST_CASE(an_unknown_path_is_not_found_in_json) {
  for (const char* target :
       {"/v1/nothing", "/v1", "/v1/", "/v1/meta/", "/v1//meta", "/v1/plugins/a/download",
        "/v1/meta%2F", "/v1%2Fmeta", "/v1/x/../meta", "/v1/meta%00"}) {
    const Dispatched dispatched = ask("GET", target);
    BOOST_TEST_CONTEXT(target) {
      check_error(dispatched, 404, "not_found");
      BOOST_TEST(dispatched.response.body == R"({"error":"not_found","status":false})");
      BOOST_TEST(dispatched.route == "-");
    }
  }
}

BOOST_AUTO_TEST_CASE(outside_of_the_api_an_unknown_path_is_a_page) {
  for (const char* target : {"/v2/meta", "/V1/meta", "/other"}) {
    for (const char* method : {"GET", "HEAD"}) {
      const Dispatched dispatched = ask(method, target);
      BOOST_TEST_CONTEXT(method << ' ' << target) {
        BOOST_TEST(dispatched.response.status == 404);
        BOOST_TEST(header(dispatched, "Content-Type").starts_with("text/html"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(other_methods_are_refused_and_told_which_are_served) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "TRACE", "get", "PROPFIND", "HEAD "}) {
    const Dispatched dispatched = ask(method, "/v1/meta");
    BOOST_TEST_CONTEXT(method) {
      check_error(dispatched, 405, "method_not_allowed");
      BOOST_TEST(header(dispatched, "Allow") == "GET, HEAD, OPTIONS");
      BOOST_TEST(dispatched.route == "meta");
    }
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_path_is_not_found_whatever_the_method) {
  check_error(ask("POST", "/v1/nothing"), 404, "not_found");
}

BOOST_AUTO_TEST_CASE(a_preflight_is_answered_without_a_body_for_any_path_below_v1) {
  for (const char* target : {"/v1/meta", "/v1/nothing", "/v1/plugins/x/download/1?kind=amxx"}) {
    const Dispatched dispatched = ask("OPTIONS", target);
    BOOST_TEST_CONTEXT(target) {
      BOOST_TEST(dispatched.response.status == 204);
      BOOST_TEST(dispatched.response.body.empty());
      BOOST_TEST(header(dispatched, "Access-Control-Allow-Origin") == "*");
      BOOST_TEST(header(dispatched, "Access-Control-Allow-Methods") == "GET, HEAD, OPTIONS");
      BOOST_TEST(header(dispatched, "Access-Control-Allow-Headers") ==
                 "Authorization, If-None-Match, Range");
      BOOST_TEST(header(dispatched, "Access-Control-Max-Age") == "86400");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_preflight_is_neither_limited_nor_counted_nor_switched_off) {
  set("anonymous_per_minute", "1");
  for (int i = 0; i < 3; ++i) BOOST_TEST(ask("OPTIONS", "/v1/meta").response.status == 204);
  BOOST_TEST(header(ask("OPTIONS", "/v1/meta"), "RateLimit-Limit") == "(none)");
  BOOST_TEST(ask("GET", "/v1/meta").response.status == 200);
  set("api_enabled", "off");
  BOOST_TEST(ask("OPTIONS", "/v1/meta").response.status == 204);
}

BOOST_AUTO_TEST_CASE(every_response_can_be_read_by_any_origin_and_none_with_credentials) {
  const std::pair<const char*, const char*> requests[] = {
      {"GET", "/v1/nothing"}, {"POST", "/v1/meta"}, {"OPTIONS", "/v1/meta"},
      {"GET", "/v1/plugins"}, {"HEAD", "/v1/meta"}, {"GET", "/v1/plugins/none"}};
  for (const auto& [method, target] : requests) {
    const Dispatched dispatched = ask(method, target);
    BOOST_TEST_CONTEXT(method << ' ' << target) {
      BOOST_TEST(header(dispatched, "Access-Control-Allow-Origin") == "*");
      BOOST_TEST(header(dispatched, "Access-Control-Expose-Headers") ==
                 "Content-Disposition, ETag, Repr-Digest, Retry-After, X-Svc-Build-Hash, "
                 "X-Svc-Ignored-Parameters, X-Svc-Texts, X-Svc-Toolchain, RateLimit-Limit, "
                 "RateLimit-Remaining, RateLimit-Reset");
      BOOST_TEST(header(dispatched, "Access-Control-Allow-Credentials") == "(none)");
      BOOST_TEST(header(dispatched, "X-Content-Type-Options") == "nosniff");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_disabled_api_says_so_before_it_looks_at_anything_else) {
  set("api_enabled", "off");
  for (const char* target : {"/v1/meta", "/v1/nothing"}) {
    check_error(ask("GET", target), 503, "api_disabled");
    check_error(ask("POST", target, "Bearer nonsense"), 503, "api_disabled");
  }
}

BOOST_AUTO_TEST_CASE(a_bad_key_is_refused_before_the_route_is_looked_up) {
  for (const char* value : {"", "Bearer", "Bearer ", "Basic abc", "Bearer svck_unknown", "x"}) {
    for (const char* target : {"/v1/meta", "/v1/nothing"}) {
      const Dispatched dispatched = ask("GET", target, value);
      BOOST_TEST_CONTEXT('"' << value << "\" " << target) {
        check_error(dispatched, 401, "unauthorized");
        BOOST_TEST(header(dispatched, "WWW-Authenticate") == "Bearer");
        BOOST_TEST(dispatched.response.body.find(R"("docs":)") != std::string::npos);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_exhausted_limit_is_told_before_the_route_and_names_the_wait) {
  set("anonymous_per_minute", "2");
  ask("GET", "/v1/meta");
  ask("GET", "/v1/meta");
  const Dispatched dispatched = ask("GET", "/v1/nothing");
  check_error(dispatched, 429, "rate_limited");
  BOOST_TEST(header(dispatched, "Retry-After") == "60");
  BOOST_TEST(header(dispatched, "RateLimit-Remaining") == "0");
  BOOST_TEST(dispatched.response.body.find(R"("retry_after":60)") != std::string::npos);
  clock.advance(std::chrono::seconds(60));
  BOOST_TEST(ask("GET", "/v1/meta").response.status == 200);
}

BOOST_AUTO_TEST_CASE(a_key_without_a_scope_is_told_all_that_the_endpoint_needs) {
  const std::string key = add_key({"plugins:read"});
  BOOST_TEST(ask("GET", "/v1/plugins", key).response.status == 200);
  const Dispatched dispatched = ask("GET", "/v1/meta", key);
  check_error(dispatched, 403, "insufficient_scope");
  BOOST_TEST(dispatched.response.body.find(R"("required":["plugins:read","addons:read"])") !=
             std::string::npos);
  BOOST_TEST(dispatched.tier == "key");
  BOOST_TEST(header(dispatched, "RateLimit-Limit") == "100");
}

BOOST_AUTO_TEST_CASE(route_and_method_are_checked_before_the_scope) {
  const std::string key = add_key({"plugins:read"});
  check_error(ask("GET", "/v1/nothing", key), 404, "not_found");
  check_error(ask("POST", "/v1/addons", key), 405, "method_not_allowed");
}

BOOST_AUTO_TEST_CASE(a_json_answer_is_not_sent_again_to_who_has_it_but_counts) {
  const std::string tag = header(ask("GET", "/v1/plugins"), "ETag");
  BOOST_REQUIRE(tag.starts_with('"'));
  for (const char* method : {"GET", "HEAD"}) {
    web::Request request = request_for(method, "/v1/plugins");
    request.if_none_match = tag;
    const Dispatched dispatched = ask(request);
    BOOST_TEST(dispatched.response.status == 304);
    BOOST_TEST(dispatched.response.body.empty());
    BOOST_TEST(header(dispatched, "ETag") == tag);
    BOOST_TEST(header(dispatched, "Access-Control-Allow-Origin") == "*");
  }
  BOOST_TEST(header(ask("GET", "/v1/plugins"), "RateLimit-Remaining") == "596");
}

BOOST_AUTO_TEST_CASE(a_caller_is_never_shown_the_metadata_of_another) {
  const std::string key = add_key({"plugins:read", "addons:read"});
  BOOST_TEST(ask("GET", "/v1/meta").response.body.find(R"("auth":"anonymous")") !=
             std::string::npos);
  BOOST_TEST(ask("GET", "/v1/meta", key).response.body.find(R"("auth":"key")") !=
             std::string::npos);
  BOOST_TEST(ask("GET", "/v1/meta").response.body.find(R"("auth":"anonymous")") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_a_route_does_not_read_neither_misses_nor_makes_a_cached_answer) {
  const std::string before = ask("GET", "/v1/addons?x=1&page_n=2").response.body;
  domain::AddonPack pack;
  pack.slug = "pack";
  pack.name = "Pack";
  pack.status = domain::Status::published;
  pack.created_at = "2024-01-01 00:00:00"_utc;
  db::AddonStore(database).import(pack);
  // Nobody was told and no time has passed: what is asked for again is answered from memory.
  for (const char* target :
       {"/v1/addons?x=2&page_n=2", "/v1/addons?page_n=2",
        "/v1/%61ddons?per_page=&page_n=7&page_n=2", "/v1/addons?page_n=%32&api_key=y"}) {
    BOOST_TEST(ask("GET", target).response.body == before, target);
  }
  BOOST_TEST(ask("GET", "/v1/addons?page_n=3").response.body != before);
}

BOOST_AUTO_TEST_CASE(a_request_that_a_front_repeats_is_recorded_once_and_forgotten_later) {
  db::PluginStore(database).import(source_plugin(), clock.seconds());
  web::Request request = request_for("GET", "/v1/plugins/source/download/1.0?kind=sma");
  const auto count = [&](const char* table) {
    const auto rows = database.query(std::string("SELECT COUNT(*) FROM ") + table);
    return rows->next() ? rows->integer(1) : -1;
  };
  const auto send = [&] {
    BOOST_TEST(ask(request).response.status == 200);
    services.after_response();
  };
  send();
  send();
  BOOST_TEST(count("download_log") == 2);
  BOOST_TEST(count("recorded_requests") == 0);

  database.run("INSERT INTO recorded_requests VALUES ('old', 'ok', '2024-01-01 00:00:00')");
  request.front_id = std::string(32, '1');
  send();
  send();
  BOOST_TEST(count("download_log") == 3);
  BOOST_TEST(count("recorded_requests") == 1);
  request.remote_address = "192.0.2.8";
  send();
  request.target += "&x=1";
  send();
  BOOST_TEST(count("download_log") == 5);

  // Not after each of them: the second time after a hundred.
  database.run("INSERT INTO recorded_requests VALUES ('old', 'ok', '2024-01-01 00:00:00')");
  const std::string of_old = "recorded_requests WHERE request = 'old'";
  for (int sent = 4; sent < 100; ++sent) send();
  BOOST_TEST(count(of_old.c_str()) == 1);
  send();
  BOOST_TEST(count(of_old.c_str()) == 0);
}

BOOST_AUTO_TEST_CASE(a_wrong_key_costs_no_query) {
  check_error(ask("GET", "/v1/meta", "Bearer svck_unknown"), 401, "unauthorized");
  const std::int64_t before = queries();
  for (int i = 0; i < 50; ++i) {
    const std::string guess = "Bearer svck_" + std::to_string(i);
    check_error(ask("GET", "/v1/meta", guess), 401, "unauthorized");
  }
  BOOST_TEST(queries() - before == 1);  // the question itself
}

BOOST_AUTO_TEST_CASE(a_used_up_window_answers_wrong_keys_and_lets_good_ones_pass) {
  const std::string key = add_key({"plugins:read", "addons:read"});
  set("anonymous_per_minute", "3");
  for (int i = 0; i < 3; ++i) {
    check_error(ask("GET", "/v1/meta", "Bearer svck_x"), 401, "unauthorized");
  }
  check_error(ask("GET", "/v1/meta", "Bearer svck_x"), 429, "rate_limited");
  BOOST_TEST(ask("GET", "/v1/meta", key).response.status == 200);
}

BOOST_AUTO_TEST_CASE(a_key_that_is_made_disabled_or_removed_is_so_at_once) {
  ask("GET", "/v1/meta", "Bearer svck_x");  // the keys are in memory now
  const std::string key = add_key({"plugins:read", "addons:read"});
  state.bump_generation();
  BOOST_TEST(ask("GET", "/v1/meta", key).response.status == 200);
  keys.set_disabled(keys.list().front().id, true);
  state.bump_generation();
  check_error(ask("GET", "/v1/meta", key), 401, "key_disabled");
  keys.remove(keys.list().front().id);
  state.bump_generation();
  check_error(ask("GET", "/v1/meta", key), 401, "unauthorized");
}

BOOST_AUTO_TEST_CASE(a_selection_of_many_plugins_is_one_query) {
  std::string plugins;
  for (int i = 0; i < 100; ++i) plugins += "none-" + std::to_string(i) + ",";
  const std::string target = "/v1/server-builder/resolve?components=none&plugins=" + plugins;
  check_error(ask("GET", target), 422, "invalid_selection");
  const std::int64_t before = queries();
  check_error(ask("GET", target), 422, "invalid_selection");
  BOOST_TEST(queries() - before == 2);  // the plugins', and the question itself
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
