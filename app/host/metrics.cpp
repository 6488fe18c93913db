#include "app/host/metrics.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace goldsmith::host {

// The metrics by name, and how their series are called in the memory that workers share and in the
// text for Prometheus.
struct MetricFamily {
  const char* name;
  std::string_view type;
  const char* help;
  std::array<const char*, 2> labels{};
};

namespace metric {

constexpr std::string_view kCounter = "counter";
constexpr std::string_view kHistogram = "histogram";
constexpr std::string_view kGauge = "gauge";

constexpr MetricFamily kRequests{"goldsmith_requests_total",
                                 kCounter,
                                 "Requests answered, by route and status.",
                                 {"route", "status"}};
constexpr MetricFamily kRequestDuration{
    "goldsmith_request_duration_seconds", kHistogram, "Time in the worker, by route.", {"route"}};
constexpr MetricFamily kCompiles{"goldsmith_compiles_total",
                                 kCounter,
                                 "Compiler runs, by result and toolchain.",
                                 {"result", "toolchain"}};
constexpr MetricFamily kCompileDuration{"goldsmith_compile_duration_seconds",
                                        kHistogram,
                                        "Time of a compiler run, by toolchain.",
                                        {"toolchain"}};
constexpr MetricFamily kArchives{
    "goldsmith_archives_total",
    kCounter,
    "Server archives handed out, by where they came from: built or cached.",
    {"from"}};
constexpr MetricFamily kArchiveBytes{
    "goldsmith_archive_bytes_total",
    kCounter,
    "Bytes of the server archives handed out, whole ones for ranges too.",
    {}};
constexpr MetricFamily kDownloads{
    "goldsmith_downloads_total",
    kCounter,
    "Plugins and server archives that were asked for, by reason: a page, an update, a program.",
    {"what", "reason"}};
constexpr MetricFamily kLimited{
    "goldsmith_limited_total", kCounter, "Requests that a limit refused, by limit.", {"limit"}};
constexpr MetricFamily kDatabaseErrors{
    "goldsmith_database_errors_total", kCounter, "Requests that the database failed.", {}};
constexpr MetricFamily kWorkersRunning{
    "goldsmith_workers", kGauge, "Workers that run, by pool.", {"pool"}};
constexpr MetricFamily kWorkersBusy{
    "goldsmith_workers_busy", kGauge, "Workers with a request in hand, by pool.", {"pool"}};

// In the order of the text.
constexpr std::array kCounted = {&kRequests,        &kRequestDuration, &kCompiles,
                                 &kCompileDuration, &kArchives,        &kArchiveBytes,
                                 &kDownloads,       &kLimited,         &kDatabaseErrors};

// The upper bounds of a histogram's buckets.
constexpr std::array kBounds = {"0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
                                "0.5",   "1",      "2.5",   "5",    "10",    "60",   "600", "+Inf"};
// In seconds; the last bucket has what is above all of them.
constexpr std::array kLimits = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                0.5,   1.0,    2.5,   5.0,  10.0,  60.0, 600.0};
static_assert(kBounds.size() == kLimits.size() + 1 &&
              kBounds.size() + 1 == std::tuple_size_v<MetricValues>);

}  // namespace metric

// Those of a series at one moment.
using Values = std::array<std::uint64_t, std::tuple_size_v<MetricValues>>;

// What the processes of a host share of their metrics: series by name, and the workers that live.
class MetricsMemory {
 public:
  static constexpr std::size_t kSeries = 1024;
  static constexpr std::size_t kLongestName = 112;
  static constexpr std::size_t kWorkers = 256;
  static constexpr std::size_t kLongestPool = 16;

  struct Series {
    std::atomic<std::uint64_t> id;  // the hash of its name; 0 = free
    std::array<char, kLongestName> name;
    MetricValues values;
  };
  struct Worker {
    std::atomic<pid_t> pid;
    std::atomic<std::uint32_t> busy;
    std::array<char, kLongestPool> pool;

    bool lives() const;
  };

  // Creates the file if it does not exist. Throws FileError.
  explicit MetricsMemory(const std::filesystem::path& path);
  ~MetricsMemory() {
    if (self_) self_->pid.store(0);
  }
  MetricsMemory(const MetricsMemory&) = delete;
  MetricsMemory& operator=(const MetricsMemory&) = delete;

  // As find_values(): `name` has the labels.
  MetricValues* find(const std::string& name);
  // What has been counted by now, with the names that are whole.
  std::map<std::string, Values> all() const;

  // As Metrics::join.
  void join(std::string_view pool);
  void set_busy(bool busy) {
    if (self_) self_->busy.store(busy ? 1 : 0, std::memory_order_relaxed);
  }

  std::string_view own_pool() const { return self_ ? self_->pool.data() : ""; }

  const std::array<Worker, kWorkers>& workers() const { return layout().workers; }

 private:
  struct Layout {
    std::uint64_t version;
    std::array<Series, kSeries> series;
    std::array<Worker, kWorkers> workers;
  };
  Layout& layout() const { return *static_cast<Layout*>(file_.data()); }

  SharedFile file_;
  Worker* self_ = nullptr;
};

namespace {

constexpr std::uint64_t kMetricsVersion = 0x676f6c646d740002;  // "goldmt", layout 2

// A worker of another user name space may not be signalled, but is there.
bool is_alive(pid_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM); }

std::string escaped(std::string_view value) {
  std::string text;
  for (const char byte : value) {
    if (byte == '\\' || byte == '"') text += '\\';
    text += byte == '\n' ? ' ' : byte;
  }
  return text;
}

// `name{a="b",c="d"}`; no braces where there are no labels.
std::string name_of(const MetricFamily& family, std::span<const std::string> labels) {
  std::string name = family.name;
  for (std::size_t each = 0; each < labels.size(); ++each) {
    name += each == 0 ? '{' : ',';
    name.append(family.labels[each]).append("=\"").append(escaped(labels[each])) += '"';
  }
  return labels.empty() ? name : name + '}';
}

std::uint64_t id_of(std::string_view name) { return std::hash<std::string_view>{}(name) | 1; }

void print_head(std::string& text, const MetricFamily& family) {
  text.append("# HELP ").append(family.name).append(" ").append(family.help);
  text.append("\n# TYPE ").append(family.name).append(" ").append(family.type) += '\n';
}

void print_value(std::string& text, const std::string& name, std::uint64_t value) {
  text.append(name).append(" ").append(std::to_string(value)) += '\n';
}

// All bounds, each with what the smaller ones have. `labels`: in braces, or none.
void print_histogram(std::string& text, const std::string& name, const std::string& labels,
                     const Values& values) {
  const std::string before_bound = labels.empty() ? "{" : labels.substr(0, labels.size() - 1) + ',';
  std::uint64_t total = 0;
  for (std::size_t bound = 0; bound < metric::kBounds.size(); ++bound) {
    total += values[bound];
    print_value(text, name + "_bucket" + before_bound + "le=\"" + metric::kBounds[bound] + "\"}",
                total);
  }
  char sum[32];
  std::snprintf(sum, sizeof sum, " %.6f\n", static_cast<double>(values.back()) / 1e6);
  text += name + "_sum" + labels + sum;
  print_value(text, name + "_count" + labels, total);
}

}  // namespace

bool MetricsMemory::Worker::lives() const { return is_alive(pid.load()); }

MetricsMemory::MetricsMemory(const std::filesystem::path& path)
    : file_(path, SharedFile::Open::create, {kMetricsVersion, sizeof(Layout)}) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                    std::atomic<std::uint32_t>::is_always_lock_free,
                "counters are shared between processes");
}

MetricValues* MetricsMemory::find(const std::string& name) {
  if (name.size() > kLongestName) return nullptr;
  const std::uint64_t wanted = id_of(name);
  for (Series& series : layout().series) {
    std::uint64_t id = 0;
    if (!series.id.compare_exchange_strong(id, wanted) && id != wanted) continue;
    // Whoever began the series may have been killed before it had its name.
    name.copy(series.name.data(), kLongestName);
    return &series.values;
  }
  return nullptr;
}

std::map<std::string, Values> MetricsMemory::all() const {
  std::map<std::string, Values> all;
  for (const Series& series : layout().series) {
    const std::string name(series.name.data(), strnlen(series.name.data(), kLongestName));
    if (series.id.load(std::memory_order_acquire) != id_of(name)) continue;
    std::transform(series.values.begin(), series.values.end(), all[name].begin(),
                   [](const auto& value) { return value.load(std::memory_order_relaxed); });
  }
  return all;
}

void MetricsMemory::join(std::string_view pool) {
  for (Worker& worker : layout().workers) {
    pid_t owner = worker.pid.load();
    if (is_alive(owner) || !worker.pid.compare_exchange_strong(owner, getpid())) continue;
    worker.busy.store(0);
    worker.pool.fill('\0');
    pool.substr(0, kLongestPool - 1).copy(worker.pool.data(), kLongestPool - 1);
    self_ = &worker;
    return;
  }
}

MetricValues* find_values(MetricsMemory& memory, const MetricFamily& family,
                          std::span<const std::string> labels) {
  return memory.find(name_of(family, labels));
}

// A bucket is counted alone here; text() makes them cumulative.
void observe(MetricValues& values, std::chrono::duration<double> value) {
  const auto bucket =
      std::lower_bound(metric::kLimits.begin(), metric::kLimits.end(), value.count());
  values[static_cast<std::size_t>(bucket - metric::kLimits.begin())].fetch_add(
      1, std::memory_order_relaxed);
  values.back().fetch_add(static_cast<std::uint64_t>(value.count() * 1e6),
                          std::memory_order_relaxed);
}

Metrics::Metrics(const std::filesystem::path& path)
    : memory_(std::make_unique<MetricsMemory>(path)),
      requests(*memory_, metric::kRequests),
      request_duration(*memory_, metric::kRequestDuration),
      compiles(*memory_, metric::kCompiles),
      compile_duration(*memory_, metric::kCompileDuration),
      archives(*memory_, metric::kArchives),
      archive_bytes(*memory_, metric::kArchiveBytes),
      downloads(*memory_, metric::kDownloads),
      limited(*memory_, metric::kLimited),
      database_errors(*memory_, metric::kDatabaseErrors) {}

Metrics::~Metrics() = default;

void Metrics::join(std::string_view pool) { memory_->join(pool); }

void Metrics::set_busy(bool busy) { memory_->set_busy(busy); }

std::size_t Metrics::workers(std::string_view pool) const {
  const auto& workers = memory_->workers();
  return static_cast<std::size_t>(
      std::count_if(workers.begin(), workers.end(), [&](const MetricsMemory::Worker& worker) {
        return worker.lives() && pool == worker.pool.data();
      }));
}

std::size_t Metrics::busy(std::string_view pool) const {
  std::size_t busy = 0;
  for (const MetricsMemory::Worker& worker : memory_->workers()) {
    if (worker.lives() && pool == worker.pool.data()) busy += worker.busy.load();
  }
  return busy;
}

std::uint64_t Metrics::requests_answered() const {
  std::uint64_t sum = 0;
  for (const auto& [name, values] : memory_->all()) {
    if (name.starts_with(metric::kRequests.name)) sum += values.front();
  }
  return sum;
}

std::size_t Metrics::pool_size() const {
  const std::string_view pool = memory_->own_pool();
  return pool.empty() ? 0 : workers(pool);
}

std::string Metrics::text() const {
  const auto all = memory_->all();
  std::string text;
  for (const MetricFamily* family : metric::kCounted) {
    print_head(text, *family);
    const std::string name = family->name;
    for (const auto& [full_name, values] : all) {
      if (full_name != name && !full_name.starts_with(name + '{')) continue;
      if (family->type == metric::kHistogram) {
        print_histogram(text, name, full_name.substr(name.size()), values);
      } else {
        print_value(text, full_name, values.front());
      }
    }
  }
  std::set<std::string> pools;
  for (const MetricsMemory::Worker& worker : memory_->workers()) {
    if (worker.lives()) pools.insert(worker.pool.data());
  }
  const auto print_pools = [&](const MetricFamily& family,
                               std::size_t (Metrics::*count)(std::string_view) const) {
    print_head(text, family);
    for (const std::string& pool : pools) {
      print_value(text, name_of(family, std::array{pool}), (this->*count)(pool));
    }
  };
  print_pools(metric::kWorkersRunning, &Metrics::workers);
  print_pools(metric::kWorkersBusy, &Metrics::busy);
  return text;
}

}  // namespace goldsmith::host
