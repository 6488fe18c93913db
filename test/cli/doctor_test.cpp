// goldsmith doctor: what it makes of its findings. The tests of a part have what is found about it.
#include <sched.h>
#include <sys/mount.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <optional>

#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"
#include "test/support/tiny_disk.hpp"

namespace goldsmith::test {

BOOST_FIXTURE_TEST_SUITE(doctors, OperatorHost)

BOOST_AUTO_TEST_CASE(the_failure_counts_what_must_be_fixed_and_not_the_rest) {
  const Called called = call({"doctor", "--json"});
  const json::Value document = json::parse(called.out);
  const json::Array& findings = *document.as_array();
  const auto are = [&](std::string_view health) {
    return std::ranges::count_if(findings, [&](const json::Value& each) {
      return *each.as_object()->at("health").as_string() == health;
    });
  };
  // Neither certificate nor units are there, and the folders are those of a test.
  BOOST_TEST_REQUIRE(are("bad") > 1);
  BOOST_TEST(called.code == 1);
  BOOST_TEST(called.err ==
             "goldsmith: " + std::to_string(are("bad")) + " problems must be fixed\n");
}

BOOST_AUTO_TEST_CASE(disks_that_are_soon_full_are_named,
                     *boost::unit_test::precondition(may_mount)) {
  const auto line_of = [&](const std::string& subject, const std::filesystem::path& folder) {
    const std::string text = call({"doctor"}).out;
    const std::size_t at = text.find(' ' + subject + ": " + folder.native() + ", ");
    BOOST_TEST_REQUIRE(at != std::string::npos, subject << " is not in\n" << text);
    return text.substr(at - 1, text.find('\n', text.find('\n', at) + 1) - at + 1);
  };
  const auto rows = database().query("SELECT @@datadir");
  BOOST_TEST_REQUIRE(rows->next());
  const std::filesystem::path data = rows->text(1);
  std::filesystem::create_directory(path("depot"));
  BOOST_TEST(line_of("database disk", data).starts_with("  database disk: "));
  BOOST_TEST(line_of("depot disk", path("depot")).starts_with("  depot disk: "));

  // What follows is mounted for this thread alone.
  BOOST_REQUIRE(::unshare(CLONE_NEWNS) == 0);
  BOOST_REQUIRE(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  const TinyDisk depot(path("depot"));
  const TinyDisk tables(data);
  const TinyDisk logs("/var/log");
  std::filesystem::create_directories(logs.path() / "nginx");
  std::filesystem::create_directories(logs.path() / "journal");
  const std::string free = ", 524 KB free\n    ";
  BOOST_TEST(line_of("depot disk", depot.path()) == "! depot disk: " + depot.path().native() +
                                                        free +
                                                        "goldsmith cache prune, or a larger disk");
  BOOST_TEST(line_of("database disk", data) ==
             "! database disk: " + data.native() + free +
                 "goldsmith log prune with a lower log.retention_days makes room for new "
                 "downloads; or a larger disk");
  BOOST_TEST(line_of("log disk", "/var/log/nginx") ==
             "! log disk: /var/log/nginx" + free +
                 "systemctl status goldsmith-log-rotate.timer; du -ah /var/log/nginx shows what is "
                 "large; or a larger disk");
  BOOST_TEST(line_of("journal disk", "/var/log/journal") ==
             "! journal disk: /var/log/journal" + free +
                 "journalctl --vacuum-size=500M, or a larger disk");
  // A tmpfs takes no memory for what is not written.
  const TinyDisk archives(path("archives"), "size=3g,nr_inodes=1000");
  BOOST_TEST(line_of("archive cache", archives.path()) ==
             "! archive cache: " + archives.path().native() +
                 ", 3.2 GB free, but of its inodes (df -i) only 999 are\n    "
                 "goldsmith cache prune, or a larger disk");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
