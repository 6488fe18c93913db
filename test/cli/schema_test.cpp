#include <boost/test/unit_test.hpp>

#include "app/base/json.hpp"
#include "app/limits/rate_windows.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

BOOST_AUTO_TEST_SUITE(schema)

BOOST_AUTO_TEST_CASE(a_database_without_a_schema_says_how_to_get_one) {
  const OperatorHost host(TestDatabase::Schema::empty);
  BOOST_TEST(host.failed({"plugin", "list"}) ==
             "goldsmith: the database schema does not match this version of goldsmith; \"goldsmith "
             "db status\" shows the difference, \"goldsmith db migrate\" updates the schema\n");
  BOOST_TEST(host.done({"db", "status"}).find("pending") != std::string::npos);
  BOOST_TEST(host.done({"db", "migrate"}).find("applied 1 ") != std::string::npos);
  BOOST_TEST(host.done({"db", "migrate"}) == "The schema was up to date.\n");
  BOOST_TEST(host.done({"db", "status"}).find("pending") == std::string::npos);
  BOOST_TEST(host.done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(the_schema_of_a_newer_version_wants_that_version) {
  OperatorHost host;
  host.database().run("INSERT INTO schema_migrations VALUES (9999, 'later', 'x', UTC_TIMESTAMP())");
  BOOST_TEST(host.failed({"plugin", "list"}) ==
             "goldsmith: the database schema is newer than this version of goldsmith; install the "
             "newer version\n");
}

BOOST_AUTO_TEST_CASE(migrating_reads_what_an_older_version_imported) {
  OperatorHost host;
  const auto described = [&] {
    const auto rows = host.database().query(
        "SELECT v.content_digest, f.sha256, f.named FROM plugin_versions v"
        " JOIN plugin_files f ON f.version_id = v.id WHERE f.sha256 = SHA2(f.content, 256)"
        " ORDER BY f.filename");
    std::string text;
    while (rows->next()) text += rows->text(1) + rows->text(2) + rows->text(3);
    return text;
  };
  const std::string source = "#include <amxmodx>\nprecache_model(\"models/x.mdl\");";
  host.done({"plugin", "import", host.write_plugin("one", source), host.write_plugin("two")});
  const std::string imported = described();
  BOOST_TEST(imported.find("iamxmodx\nmmodels/x.mdl\n") != std::string::npos, imported);
  BOOST_TEST(host.done({"db", "migrate"}) == "The schema was up to date.\n");

  host.database().run("UPDATE plugin_versions SET content_digest = ''");
  host.database().run("UPDATE plugin_files SET sha256 = '', named = NULL");
  BOOST_TEST(host.done({"db", "migrate"}) ==
             "read the content of 2 plugin versions\nThe schema was up to date.\n");
  BOOST_TEST(described() == imported);
}

BOOST_AUTO_TEST_CASE(a_schema_of_a_newer_program_is_left_alone) {
  OperatorHost host;
  host.database().run(
      "INSERT INTO schema_migrations SELECT 9999, 'from_the_future', digest, applied_at"
      " FROM schema_migrations WHERE number = 1");
  BOOST_TEST(host.failed({"db", "migrate"}).find("newer") != std::string::npos);
  BOOST_TEST(host.failed({"plugin", "list"}).find("schema") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(status_as_json_is_an_array_of_objects) {
  const OperatorHost host;
  const json::Value listing = json::parse(host.done({"db", "status", "--json"}));
  BOOST_TEST_REQUIRE(listing.as_array());
  BOOST_TEST_REQUIRE(!listing.as_array()->empty());
  const json::Object* first = listing.as_array()->front().as_object();
  BOOST_TEST_REQUIRE(first);
  BOOST_TEST((first->at("number") == json::Value(1)));
  BOOST_TEST(first->contains("name"));
  BOOST_TEST(first->at("applied_at").as_string()->size() == 19U);
}

BOOST_AUTO_TEST_CASE(workers_of_this_host_are_told_of_changes_alone) {
  const OperatorHost host;
  const limits::SharedState state(host.path("state"), limits::SharedState::Open::create);
  const std::uint64_t before = state.generation();
  host.done({"plugin", "list"});
  BOOST_TEST(state.generation() == before);
  host.done({"plugin", "import", host.write_plugin("afk")});
  BOOST_TEST(state.generation() > before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
