#include <boost/test/unit_test.hpp>

#include "app/sys/digest.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace depot {
namespace {

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine");
    for (const std::string version : {"1.0", "2.0", "3.0"}) {
      done({"component", "mirror", "engine", "--version", version, "--released-at", "2024-05-01",
            "--archive", write_zip("a.zip", {{"data.txt", "of version " + version}})});
    }
  }
};

}  // namespace
}  // namespace depot

BOOST_FIXTURE_TEST_SUITE(depot, Fixture)

BOOST_AUTO_TEST_CASE(a_depot_as_mirrored_is_ok) {
  BOOST_TEST(done({"depot", "verify"}) ==
             "COMPONENT  VERSION  STATE  DETAIL\n"
             "engine     3.0      ok\n"
             "engine     2.0      ok\n"
             "engine     1.0      ok\n");
}

BOOST_AUTO_TEST_CASE(missing_checksums_are_said_and_recorded) {
  database().execute(
      "UPDATE component_files f JOIN component_versions v ON v.id = f.version_id"
      " SET f.sha256 = '' WHERE v.version <> '3.0'");
  BOOST_TEST(
      done({"depot", "verify"}) ==
      "COMPONENT  VERSION  STATE  DETAIL\n"
      "engine     3.0      ok\n"
      "engine     2.0      ok     the checksums of its files are not recorded; --record does "
      "it\n"
      "engine     1.0      ok     the checksums of its files are not recorded; --record does "
      "it\n");
  BOOST_TEST(done({"depot", "verify", "--record"}) ==
             "COMPONENT  VERSION  STATE     DETAIL\n"
             "engine     3.0      ok\n"
             "engine     2.0      recorded\n"
             "engine     1.0      recorded\n");
  const auto rows = database().query(
      "SELECT f.sha256 FROM component_files f JOIN component_versions v ON v.id = f.version_id"
      " WHERE v.version = '2.0'");
  BOOST_TEST_REQUIRE(rows->next());
  BOOST_TEST(rows->text(1) == sys::sha256_hex("of version 2.0"));
  BOOST_TEST(done({"depot", "verify", "--record"}).find("recorded") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_recorded_checksum_that_is_wrong_is_a_difference) {
  const std::string wrong(64, '0');
  database().execute("UPDATE component_files SET sha256 = ?", {wrong});
  const Called called = call({"depot", "verify", "--record"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(
      called.out.find("engine     1.0      differs  its files are not those in the catalog") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_kind_of_damage_is_named) {
  const auto file = [&](const std::string& version) { return depot_file("engine", version); };
  std::string bytes = sys::read_file(file("3.0"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  sys::write_atomically(file("3.0"), bytes);
  sys::write_atomically(file("2.0"), sys::read_file(file("1.0")));
  std::filesystem::remove(file("1.0"));
  write("depot/engine/4.0.zip", "a stray");

  const Called called = call({"depot", "verify"});
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: 3 versions do not match the catalog; remove the damaged files, then "
             "goldsmith depot fill fetches them again\n");
  BOOST_TEST(called.out.find("engine     3.0      damaged  " + file("3.0").string() + ": ") !=
             std::string::npos);
  BOOST_TEST(called.out.find("engine     2.0      differs  its digest is ") != std::string::npos);
  BOOST_TEST(called.out.find("engine     1.0      missing  ") != std::string::npos);
  BOOST_TEST(called.out.find("engine     -        stray    ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_stray_file_alone_is_no_failure) {
  write("depot/engine/4.0.zip", "a stray");
  BOOST_TEST(done({"depot", "verify", "--json"}).find("\"state\": \"stray\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
