#include "app/host/metrics.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <functional>
#include <set>
#include <sstream>

#include "app/base/file.hpp"

using namespace goldsmith::base;
using namespace goldsmith::host;

namespace {

struct MetricsFile {
  TempDir folder;
  std::filesystem::path path = folder.path() / "metrics";
};

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// What `work` does in a process of its own, which then ends without a word.
void in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  BOOST_REQUIRE(waitpid(child, nullptr, 0) == child);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(metrics)

BOOST_AUTO_TEST_CASE(what_several_processes_count_adds_up_and_outlives_them) {
  const MetricsFile file;
  for (int each = 0; each < 4; ++each) {
    in_child([&] {
      Metrics worker(file.path);
      for (int i = 0; i < 1000; ++i) {
        worker.requests.add("meta", 200);
      }
      worker.archive_bytes.add(10);
    });
  }
  BOOST_TEST(Metrics(file.path).requests_answered() == 4000U);
  const std::string text = Metrics(file.path).text();
  BOOST_TEST(has_line(text, R"(goldsmith_requests_total{route="meta",status="200"} 4000)"), text);
  BOOST_TEST(text.find("# TYPE goldsmith_archive_bytes_total counter\n"
                       "goldsmith_archive_bytes_total 40\n") != std::string::npos,
             text);
}

BOOST_AUTO_TEST_CASE(a_histogram_is_cumulative_and_complete) {
  const MetricsFile file;
  Metrics metrics(file.path);
  for (const double seconds : {0.0005, 0.004, 0.004, 30.0, 1000.0}) {
    metrics.request_duration.observe("meta", std::chrono::duration<double>(seconds));
  }
  const std::string text = metrics.text();
  const std::string bucket = R"(goldsmith_request_duration_seconds_bucket{route="meta",le=")";
  for (const char* expected :
       {"0.001\"} 1", "0.0025\"} 1", "0.005\"} 3", "10\"} 3", "60\"} 4", "600\"} 4", "+Inf\"} 5"}) {
    BOOST_TEST(has_line(text, bucket + expected), text);
  }
  BOOST_TEST(has_line(text, R"(goldsmith_request_duration_seconds_count{route="meta"} 5)"), text);
  BOOST_TEST(has_line(text, R"(goldsmith_request_duration_seconds_sum{route="meta"} 1030.008500)"),
             text);
}

BOOST_AUTO_TEST_CASE(every_family_is_described_once) {
  const MetricsFile file;
  const std::string text = Metrics(file.path).text();
  std::istringstream lines(text);
  std::set<std::string> described;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) BOOST_TEST(described.insert(line).second, line);
  }
  BOOST_TEST(described.size() == 11U);
}

BOOST_AUTO_TEST_CASE(a_worker_is_counted_while_it_lives) {
  const MetricsFile file;
  Metrics monitor(file.path);
  {
    Metrics worker(file.path);
    worker.join("build");
    BOOST_TEST(monitor.workers("build") == 1U);
    BOOST_TEST(monitor.workers("api") == 0U);
    worker.set_busy(true);
    BOOST_TEST(has_line(monitor.text(), R"(goldsmith_workers_busy{pool="build"} 1)"));
    worker.set_busy(false);
    BOOST_TEST(has_line(monitor.text(), R"(goldsmith_workers_busy{pool="build"} 0)"));
  }
  BOOST_TEST(monitor.workers("build") == 0U);
  in_child([&] { Metrics(file.path).join("api"); });
  BOOST_TEST(monitor.workers("api") == 0U);
}

BOOST_AUTO_TEST_CASE(more_series_than_there_is_room_for_do_no_harm) {
  const MetricsFile file;
  Metrics metrics(file.path);
  for (int i = 0; i < 3000; ++i) {
    metrics.requests.add(std::to_string(i), 200);
  }
  metrics.requests.add(std::string(500, 'x'), 200);
  BOOST_TEST(has_line(metrics.text(), R"(goldsmith_requests_total{route="0",status="200"} 1)"));
}

// As a worker leaves it that is killed while it begins a series.
BOOST_AUTO_TEST_CASE(a_series_with_half_a_name_is_not_told_until_it_has_all_of_it) {
  const MetricsFile file;
  Metrics(file.path).limited.add("slow_builds", 3);
  const std::size_t at = read_file(file.path).find("_builds");
  BOOST_TEST_REQUIRE(at != std::string::npos);
  const UniqueFd fd = open_file(file.path, O_WRONLY);
  BOOST_TEST_REQUIRE(pwrite(fd.get(), "\0\0\0\0\0\0\0", 7, static_cast<off_t>(at)) == 7);
  Metrics next(file.path);
  BOOST_TEST(next.text().find("slow") == std::string::npos);
  next.limited.add("slow_builds");
  BOOST_TEST(has_line(next.text(), R"(goldsmith_limited_total{limit="slow_builds"} 4)"));
}

BOOST_AUTO_TEST_CASE(a_label_can_not_break_out_of_its_quotes) {
  const MetricsFile file;
  Metrics metrics(file.path);
  metrics.limited.add("a\"b\\c\nd");
  BOOST_TEST(has_line(metrics.text(), R"(goldsmith_limited_total{limit="a\"b\\c d"} 1)"));
}

BOOST_AUTO_TEST_SUITE_END()
