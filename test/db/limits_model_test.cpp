// Limits against a model that knows nothing but their rule: in each aligned window of a subject as
// many pass as its limit says. Random arrivals at several workers or hosts, whose clocks jump.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "app/base/file.hpp"
#include "app/limits/rate_windows.hpp"
#include "test/db/builders.hpp"
#include "test/support/seed.hpp"

using namespace goldsmith;
using limits::Window;
using limits::WindowStatus;

namespace {

constexpr std::int64_t kMidday = 1'800'000'000 / 86'400 * 86'400 + 43'200;
constexpr std::int64_t kDay = 86'400;
constexpr int kSubjects = 3;

struct Arrival {
  std::string subject;
  Window window = Window::minute;
  std::int64_t limit = 0;

  std::int64_t end(std::int64_t now) const {
    const auto length = static_cast<std::int64_t>(window);
    return now - now % length + length;
  }
};

class Arrivals {
 public:
  explicit Arrivals(std::mt19937 generator) : generator_(generator) {}

  std::int64_t below(std::int64_t bound) {
    return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(generator_);
  }
  bool chance(int percent) { return below(100) < percent; }
  Arrival next() {
    static const std::vector<Window> windows = {Window::minute, Window::minute, Window::hour,
                                                Window::day};
    static const std::vector<std::int64_t> limits = {0, 1, 3, 3, 10, 40};
    const auto at = [&](const auto& list) {
      return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
    };
    return {"s" + std::to_string(below(kSubjects)), at(windows), at(limits)};
  }
  // Mostly seconds, now and then hours.
  std::int64_t pause() { return chance(2) ? below(2 * kDay) : below(chance(30) ? 40 : 3); }

 private:
  std::mt19937 generator_;
};

class Model {
 public:
  // Compares what a backend said of an arrival at `now`; true if it was granted.
  void check(const Arrival& arrival, std::int64_t now, const WindowStatus& said) {
    std::int64_t& used = used_[{arrival.subject, arrival.window, arrival.end(now)}];
    const bool granted = used < arrival.limit;
    BOOST_TEST_REQUIRE(said.granted == granted);
    if (granted) {
      ++used;
      BOOST_TEST_REQUIRE(said.used == used);
    }
    BOOST_TEST_REQUIRE(said.remaining() == std::max<std::int64_t>(0, arrival.limit - used));
    BOOST_TEST_REQUIRE(said.seconds_left == arrival.end(now) - now);
    ++(granted ? granted_ : refused_);
  }
  void report() const {
    BOOST_TEST(granted_ > 0);
    BOOST_TEST(refused_ > 0);
    std::printf("%d granted, %d refused\n", granted_, refused_);
  }

 private:
  std::map<std::tuple<std::string, Window, std::int64_t>, std::int64_t> used_;
  int granted_ = 0;
  int refused_ = 0;
};

struct Host {
  explicit Host(const test::TestDatabase& shared)
      : database(std::make_unique<db::Database>(shared.settings())),
        windows(db::WindowStore(*database)) {}

  void set_servers_clock(std::int64_t now) {
    database->run("SET timestamp = " + std::to_string(now));
  }

  std::unique_ptr<db::Database> database;
  limits::DatabaseWindows windows;
  std::int64_t ahead = 0;  // of the database's server
  std::int64_t last_minute = 0;
};

// Sets the host's clock right, or wrong by minutes, and so that it takes notice: it compares the
// clocks once in each of its minutes, and leaves seconds alone.
void jump(Arrivals& random, Host& host, std::int64_t now) {
  do {
    const std::int64_t by = 60 + random.below(random.chance(50) ? 120 : 2 * kDay);
    host.ahead = random.chance(40) ? 0 : random.chance(50) ? by : -by;
  } while ((now + host.ahead) / 60 == host.last_minute);
}

}  // namespace

// A test of its own, independent_limits.
BOOST_AUTO_TEST_SUITE(limits_model, *boost::unit_test::disabled())

BOOST_AUTO_TEST_CASE(hosts_with_one_database_count_together_whatever_their_clocks_say) {
  Arrivals random(test::seeded_generator());
  const test::TestDatabase shared;
  std::vector<Host> hosts;
  for (int i = 0; i < 3; ++i) hosts.emplace_back(shared);
  Model model;
  std::int64_t now = kMidday;
  const int count = test::rounds(3000);
  for (int i = 0; i < count; ++i) {
    now += random.pause();
    Host& host = hosts[static_cast<std::size_t>(random.below(3))];
    if (random.chance(3)) jump(random, host, now);
    host.last_minute = (now + host.ahead) / 60;
    host.set_servers_clock(now);
    const Arrival arrival = random.next();
    if (random.chance(20)) {
      host.windows.peek(arrival.subject, arrival.window, arrival.limit, now + host.ahead);
    }
    model.check(
        arrival, now,
        host.windows.take(arrival.subject, arrival.window, arrival.limit, now + host.ahead));
  }
  model.report();
}

BOOST_AUTO_TEST_CASE(workers_of_a_host_count_together) {
  Arrivals random(test::seeded_generator());
  const base::TempDir folder;
  using limits::SharedState;
  std::vector<std::unique_ptr<SharedState>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(
        std::make_unique<SharedState>(folder.path() / "state", SharedState::Open::create));
  }
  Model model;
  std::int64_t now = kMidday;
  const int count = test::rounds(100'000);
  for (int i = 0; i < count; ++i) {
    now += random.pause();
    limits::MemoryWindows windows(*workers[static_cast<std::size_t>(random.below(3))]);
    const Arrival arrival = random.next();
    model.check(arrival, now, windows.take(arrival.subject, arrival.window, arrival.limit, now));
  }
  model.report();
}

// Two workers read the clock at the turn of a minute, and the one that read it first counts last.
BOOST_AUTO_TEST_CASE(a_worker_that_is_late_takes_nothing_from_the_next_window) {
  Arrivals random(test::seeded_generator());
  const base::TempDir folder;
  limits::SharedState state(folder.path() / "state", limits::SharedState::Open::create);
  limits::MemoryWindows windows(state);
  std::map<std::int64_t, int> granted;  // by the end of the latest window that was seen
  std::int64_t now = kMidday;
  granted[now / 60] += windows.take("a", Window::minute, 40, now).granted;
  const int count = test::rounds(20'000);
  for (int i = 0; i < count; ++i) {
    now += random.chance(20) ? 1 : 0;
    const std::int64_t read = now - (random.chance(50) ? 1 : 0);
    granted[now / 60] += windows.take("a", Window::minute, 40, read).granted;
  }
  for (const auto& [minute, passed] : granted) BOOST_TEST(passed <= 40, minute);
  BOOST_TEST(granted.size() > 10U);
}

BOOST_AUTO_TEST_SUITE_END()
