// The download log, empty and with millions of rows: bench_log SOCKET ROWS. The server is the
// caller's, and the database goldsmith_bench_log on it is dropped.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <thread>
#include <vector>

#include "app/domain/timestamp.hpp"
#include "db/download_log.hpp"
#include "db/migrations.hpp"
#include "db/plugin_store.hpp"
#include "test/support/numbers.hpp"

namespace {

using namespace goldsmith;
using Clock = std::chrono::steady_clock;

constexpr const char* kSchema = "goldsmith_bench_log";
constexpr std::chrono::seconds kMeasured{8};
constexpr domain::Timestamp kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
constexpr double kMinRatio = 0.8;  // of the rate with an empty log

db::ConnectionSettings settings_of(const std::string& socket) {
  db::ConnectionSettings settings;
  settings.servers.front().socket = socket;
  settings.user = "root";
  settings.read_timeout = std::chrono::seconds(600);
  return settings;
}

struct Measured {
  double rate = 0;  // a second, of all callers
  double p99 = 0;   // milliseconds
  double longest = 0;
};

// Downloads of one plugin, by so many callers, until `is_done`.
Measured record(const db::ConnectionSettings& settings, int callers,
                const std::function<bool()>& is_done) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(callers));
  std::vector<std::thread> threads;
  const auto begun = Clock::now();
  for (std::vector<double>& own : times) {
    threads.emplace_back([&] {
      db::Database database(settings);
      db::DownloadLog log(database);
      while (!is_done()) {
        const auto start = Clock::now();
        log.record({kNow, "plugin", "1.0", "amxx", "1.9", "192.0.2.1", "ok", 50});
        own.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  std::vector<double> all;
  for (const auto& own : times) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  return {static_cast<double>(all.size()) / seconds, all.at(all.size() * 99 / 100), all.back()};
}

Measured record_for(const db::ConnectionSettings& settings, int callers) {
  const auto end = Clock::now() + kMeasured;
  return record(settings, callers, [end] { return Clock::now() >= end; });
}

void show(const std::string& what, const Measured& measured) {
  std::cout << "  " << std::left << std::setw(34) << what << std::right << std::fixed
            << std::setprecision(0) << std::setw(7) << measured.rate << "/s  p99 "
            << std::setprecision(2) << measured.p99 << " ms  max " << measured.longest << " ms"
            << std::endl;
}

// Rows of two years before, evenly.
void fill(db::Database& database, std::int64_t rows) {
  constexpr std::int64_t kStep = 500'000;
  for (std::int64_t first = 0; first < rows; first += kStep) {
    const std::int64_t last = std::min(rows, first + kStep) - 1;
    database.run(
        "INSERT INTO download_log (time, slug, version, kind, toolchain, caller, result,"
        " compile_milliseconds) SELECT '2024-01-01' + INTERVAL seq * 63072000 DIV " +
        std::to_string(rows) +
        " SECOND, CONCAT('plugin-', seq % 20000), '1.0', 'amxx', '1.9', '2001:db8::1234:5678',"
        " 'ok', 50 FROM " +
        test::numbers(first, last));
  }
}

double seconds_of(const std::function<void()>& work) {
  const auto begun = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

bool target(const std::string& text, bool is_met) {
  std::cout << "  " << (is_met ? "PASS" : "FAIL") << "  " << text << std::endl;
  return is_met;
}

bool measure(const db::ConnectionSettings& settings, std::int64_t rows) {
  db::Database database(settings);
  db::migrate(database);
  domain::Plugin plugin;
  plugin.slug = "plugin";
  plugin.name = "Plugin";
  plugin.category = "bench";
  db::PluginStore(database).import(plugin, kNow);

  record_for(settings, 1);  // warm
  const Measured empty = record_for(settings, 1);
  show("empty, one caller", empty);
  show("empty, eight callers", record_for(settings, 8));
  std::cout << "  filled with " << rows << " rows in " << std::setprecision(0)
            << seconds_of([&] { fill(database, rows); }) << " s" << std::endl;
  record_for(settings, 1);
  const Measured full = record_for(settings, 1);
  show(std::to_string(rows) + " rows, one caller", full);
  show(std::to_string(rows) + " rows, eight callers", record_for(settings, 8));

  std::atomic<bool> is_pruned{false};
  db::LogCounts counts;
  double seconds = 0;
  std::thread pruner([&] {
    seconds = seconds_of([&] {
      counts =
          db::prune_log(database,
                        {domain::Timestamp(std::chrono::sys_days(std::chrono::year(2024) / 3 / 1)),
                         domain::Timestamp(std::chrono::sys_days(std::chrono::year(2024) / 5 / 1))},
                        [](const db::LogCounts&) {});
    });
    is_pruned = true;
  });
  const Measured beside = record(settings, 1, [&] { return is_pruned.load(); });
  pruner.join();
  show("beside log prune, one caller", beside);
  std::cout << "  log prune: " << counts.rows << " rows removed and " << counts.addresses
            << " addresses blanked in " << std::setprecision(1) << seconds << " s" << std::endl;
  return target("inserts at least 0.8 times as fast as into the empty log",
                full.rate >= kMinRatio * empty.rate);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: bench_log SOCKET ROWS\n";
    return 2;
  }
  db::ConnectionSettings settings = settings_of(argv[1]);
  db::Database server(settings);
  server.run(std::string("DROP DATABASE IF EXISTS ") + kSchema);
  server.run(std::string("CREATE DATABASE ") + kSchema);
  settings.schema = kSchema;
  const bool is_met = measure(settings, std::stoll(argv[2]));
  server.run(std::string("DROP DATABASE ") + kSchema);
  return is_met ? 0 : 1;
}
