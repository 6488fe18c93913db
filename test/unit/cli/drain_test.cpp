// Taking a host out of service and back.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/host/metrics.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"
#include "test/unit/cli/called.hpp"

namespace goldsmith::cli::draining {
namespace {

struct Host {
  Host() { base::write_atomically(folder.path() / "g.conf", "state = " + state.string() + "\n"); }

  Outcome run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--config", (folder.path() / "g.conf").string()});
    return call(words);
  }
  void start_workers() const { limits::SharedState(state, limits::SharedState::Open::create); }

  base::TempDir folder;
  std::filesystem::path state = folder.path() / "state";
  limits::DrainMark mark{state};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(draining, Host)

BOOST_AUTO_TEST_CASE(a_host_stays_drained_until_it_is_put_back) {
  start_workers();
  BOOST_TEST(run({"undrain"}).out == "This host was not drained.\n");
  BOOST_TEST(run({"drain"}).out ==
             "This host is drained. /readyz is 503; requests that still come are answered.\n");
  BOOST_TEST(mark.is_set());
  BOOST_TEST(mark.since().has_value());
  BOOST_TEST(run({"drain"}).out.starts_with("This host was drained already."));
  BOOST_TEST(run({"undrain"}).out == "This host is in service again.\n");
  BOOST_TEST(!mark.since().has_value());
}

BOOST_AUTO_TEST_CASE(a_host_that_is_not_set_up_can_not_be_drained) {
  for (const char* command : {"drain", "undrain"}) {
    const Outcome outcome = run({command});
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.err ==
               "goldsmith: this host serves nothing: no worker has run since the last boot; "
               "goldsmith setup sets it up, systemctl start goldsmith.target starts it\n");
  }
  BOOST_TEST(!mark.is_set());
}

BOOST_AUTO_TEST_CASE(a_wait_ends_with_an_error_while_builds_are_under_way) {
  start_workers();
  host::Metrics worker(folder.path() / "counters");
  worker.join("build");
  worker.set_busy(true);
  const Outcome outcome = run({"drain", "--wait", "1"});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err ==
             "goldsmith: requests still arrive or are under way; the host stays drained\n");
  BOOST_TEST(mark.is_set());
  BOOST_TEST(run({"drain", "--wait", "0"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_mark_that_can_not_be_written_is_an_error_that_names_it) {
  start_workers();
  std::filesystem::create_directory(folder.path() / "drained");
  base::write_atomically(folder.path() / "drained/x", "");
  const Outcome outcome = run({"undrain"});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err.find("drained: can't be removed: ") != std::string::npos, outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli::draining
