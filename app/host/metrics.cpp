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
#include <thread>

namespace goldsmith::host {

// The metrics by name, and how their series are called in the memory that workers share and in the
// text for Prometheus.
struct MetricFamily {
  enum class Type { counter, histogram, gauge };

  const char* name;
  Type type;
  const char* help;
  std::array<const char*, 2> labels{};
};

namespace metric {

constexpr MetricFamily kRequests{"goldsmith_requests_total",
                                 MetricFamily::Type::counter,
                                 "Requests answered, by route and status.",
                                 {"route", "status"}};
constexpr MetricFamily kRequestDuration{"goldsmith_request_duration_seconds",
                                        MetricFamily::Type::histogram,
                                        "Time in the worker, by route.",
                                        {"route"}};
constexpr MetricFamily kCompiles{"goldsmith_compiles_total",
                                 MetricFamily::Type::counter,
                                 "Compiler runs, by result and toolchain.",
                                 {"result", "toolchain"}};
constexpr MetricFamily kCompileDuration{"goldsmith_compile_duration_seconds",
                                        MetricFamily::Type::histogram,
                                        "Time of a compiler run, by toolchain.",
                                        {"toolchain"}};
constexpr MetricFamily kArchives{
    "goldsmith_archives_total",
    MetricFamily::Type::counter,
    "Server archives handed out, by where they came from: built or cached.",
    {"from"}};
constexpr MetricFamily kArchiveBytes{
    "goldsmith_archive_bytes_total",
    MetricFamily::Type::counter,
    "Bytes of the server archives handed out, whole ones for ranges too.",
    {}};
constexpr MetricFamily kLimited{"goldsmith_limited_total",
                                MetricFamily::Type::counter,
                                "Requests that a limit refused, by limit.",
                                {"limit"}};
constexpr MetricFamily kDatabaseErrors{"goldsmith_database_errors_total",
                                       MetricFamily::Type::counter,
                                       "Requests that the database failed.",
                                       {}};
constexpr MetricFamily kWorkersRunning{
    "goldsmith_workers", MetricFamily::Type::gauge, "Workers that run, by pool.", {"pool"}};
constexpr MetricFamily kWorkersBusy{"goldsmith_workers_busy",
                                    MetricFamily::Type::gauge,
                                    "Workers with a request in hand, by pool.",
                                    {"pool"}};

// In the order of the text.
constexpr std::array kCounted = {&kRequests, &kRequestDuration, &kCompiles, &kCompileDuration,
                                 &kArchives, &kArchiveBytes,    &kLimited,  &kDatabaseErrors};

// The upper bounds of a histogram's buckets.
constexpr std::array kBounds = {"0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
                                "0.5",   "1",      "2.5",   "5",    "10",    "60",   "600"};
// kBounds as numbers of seconds, and the bound of what is above all of them.
constexpr std::array kLimits = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                0.5,   1.0,    2.5,   5.0,  10.0,  60.0, 600.0};
static_assert(kBounds.size() == kLimits.size());
constexpr const char* kAbove = "+Inf";

}  // namespace metric

// What the processes of a host share of their metrics: series by name, and the workers that live.
//
class MetricsMemory {
 public:
  static constexpr std::size_t kSeries = 2048;
  static constexpr std::size_t kLongestKey = 112;
  static constexpr std::size_t kWorkers = 256;
  static constexpr std::size_t kLongestPool = 16;

  enum State : std::uint32_t { k_free = 0, k_taken = 1, k_ready = 2 };

  struct Series {
    std::atomic<std::uint32_t> state;
    std::array<char, kLongestKey> key;
    std::atomic<std::uint64_t> value;

    bool is_ready() const { return state.load(std::memory_order_acquire) == k_ready; }
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

  // The value of that name, begun if need be; null if there is no room.
  MetricSlots::Slot find(const std::string& key);
  // As Metrics::join.
  void join(std::string_view pool);
  void set_busy(bool busy) {
    if (self_) self_->busy.store(busy ? 1 : 0, std::memory_order_relaxed);
  }

  std::string_view own_pool() const { return self_ ? self_->pool.data() : ""; }

  const std::array<Series, kSeries>& series() const { return layout().series; }
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

constexpr std::uint64_t kMetricsVersion = 0x676f6c646d740001;  // "goldmt", layout 1

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

// `name{a="b",le="1"}`; no braces where there are no labels.
std::string key_of(const MetricFamily& family, std::string_view suffix,
                   std::span<const LabelText> labels, std::string_view bound = {}) {
  std::string key(family.name);
  key += suffix;
  char separator = '{';
  for (std::size_t each = 0; each < labels.size(); ++each) {
    key +=
        separator + std::string(family.labels[each]) + "=\"" + escaped(labels[each].view()) + '"';
    separator = ',';
  }
  if (!bound.empty()) {
    key += separator + std::string("le=\"") + std::string(bound) + '"';
    separator = ',';
  }
  return separator == '{' ? key : key + '}';
}

}  // namespace

bool MetricsMemory::Worker::lives() const { return is_alive(pid.load()); }

MetricsMemory::MetricsMemory(const std::filesystem::path& path)
    : file_(path, SharedFile::Open::create, {kMetricsVersion, sizeof(Layout)}) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                    std::atomic<std::uint32_t>::is_always_lock_free,
                "counters are shared between processes");
}

// A series that another process is just beginning is waited for, but not for ever: the process may
// have been killed in between. At worst there is a second series of that name; text() adds them up.
MetricSlots::Slot MetricsMemory::find(const std::string& key) {
  if (key.size() >= kLongestKey) return nullptr;
  const std::size_t start = std::hash<std::string>{}(key) % kSeries;
  for (std::size_t probe = 0; probe < kSeries; ++probe) {
    Series& series = layout().series[(start + probe) % kSeries];
    std::uint32_t state = k_free;
    if (series.state.compare_exchange_strong(state, k_taken)) {
      std::memcpy(series.key.data(), key.c_str(), key.size() + 1);
      series.state.store(k_ready, std::memory_order_release);
      return &series.value;
    }
    for (int turn = 0; state == k_taken && turn < 1000; ++turn) {
      std::this_thread::yield();
      state = series.state.load(std::memory_order_acquire);
    }
    if (state == k_ready && key == series.key.data()) return &series.value;
  }
  return nullptr;
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

std::span<const MetricSlots::Slot> MetricSlots::find(std::span<const LabelText> labels) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return std::equal(entry.labels.begin(), entry.labels.end(), labels.begin(), labels.end(),
                      [](const auto& left, const auto& right) { return left == right.view(); });
  });
  if (known != entries_.end()) return known->slots;
  Entry& entry = entries_.emplace_back();
  for (const LabelText& label : labels) entry.labels.emplace_back(label.view());
  if (family_.type == MetricFamily::Type::counter) {
    entry.slots.push_back(memory_.find(key_of(family_, "", labels)));
    return entry.slots;
  }
  for (const char* bound : metric::kBounds) {
    entry.slots.push_back(memory_.find(key_of(family_, "_bucket", labels, bound)));
  }
  for (const std::string& key :
       {key_of(family_, "_bucket", labels, metric::kAbove), key_of(family_, "_sum", labels),
        key_of(family_, "_count", labels)}) {
    entry.slots.push_back(memory_.find(key));
  }
  return entry.slots;
}

// A bucket is counted alone here; text() makes them cumulative.
void observe(std::span<const MetricSlots::Slot> slots, std::chrono::duration<double> value) {
  const auto add = [](MetricSlots::Slot slot, std::uint64_t count) {
    if (slot) slot->fetch_add(count, std::memory_order_relaxed);
  };
  const auto bucket =
      std::lower_bound(metric::kLimits.begin(), metric::kLimits.end(), value.count());
  add(slots[static_cast<std::size_t>(bucket - metric::kLimits.begin())], 1);
  add(slots[metric::kLimits.size() + 1], static_cast<std::uint64_t>(value.count() * 1e6));
  add(slots[metric::kLimits.size() + 2], 1);
}

Metrics::Metrics(const std::filesystem::path& path)
    : memory_(std::make_unique<MetricsMemory>(path)),
      requests(*memory_, metric::kRequests),
      request_duration(*memory_, metric::kRequestDuration),
      compiles(*memory_, metric::kCompiles),
      compile_duration(*memory_, metric::kCompileDuration),
      archives(*memory_, metric::kArchives),
      archive_bytes(*memory_, metric::kArchiveBytes),
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
  for (const MetricsMemory::Series& series : memory_->series()) {
    const bool is_counted = series.is_ready() &&
                            std::string_view(series.key.data()).starts_with(metric::kRequests.name);
    if (is_counted) sum += series.value.load(std::memory_order_relaxed);
  }
  return sum;
}

std::size_t Metrics::pool_size() const {
  const std::string_view pool = memory_->own_pool();
  return pool.empty() ? 0 : workers(pool);
}

namespace {

using Type = MetricFamily::Type;
using Values = std::map<std::string, std::uint64_t>;

// A sum of seconds is kept in microseconds.
bool is_sum(std::string_view key) { return key.find("_seconds_sum") != std::string_view::npos; }

// The labels of `name_bucket{…,le="x"}` without the last, as they begin a key: `{…,` or `{`.
std::string labels_before_bound(const std::string& key, std::size_t start) {
  return key.substr(start, key.rfind("le=\"") - start);
}

void print_value(std::string& text, const std::string& key, std::uint64_t value) {
  char number[32];
  if (is_sum(key)) {
    std::snprintf(number, sizeof number, " %.6f\n", static_cast<double>(value) / 1e6);
  } else {
    std::snprintf(number, sizeof number, " %llu\n", static_cast<unsigned long long>(value));
  }
  text += key + number;
}

// All bounds of each label set, each with what the smaller ones have.
void print_histogram(std::string& text, const std::string& name, const Values& values) {
  const std::string bucket = name + "_bucket";
  Values counts;  // by labels and bound
  std::set<std::string> label_sets;
  for (const auto& [key, value] : values) {
    if (!key.starts_with(bucket)) continue;
    label_sets.insert(labels_before_bound(key, bucket.size()));
    counts[key] = value;
  }
  for (const std::string& labels : label_sets) {
    std::uint64_t total = 0;
    const auto print = [&](const std::string& bound) {
      const std::string key = bucket + labels + "le=\"" + bound + "\"}";
      const auto found = counts.find(key);
      if (found != counts.end()) total += found->second;
      print_value(text, key, total);
    };
    for (const char* bound : metric::kBounds) print(bound);
    print(metric::kAbove);
    std::string closed = labels;
    if (closed.back() == ',') closed.back() = '}';
    if (closed == "{") closed.clear();
    for (const char* suffix : {"_sum", "_count"}) {
      const auto found = values.find(name + suffix + closed);
      print_value(text, name + suffix + closed, found == values.end() ? 0 : found->second);
    }
  }
}

std::string_view name_of(Type type) {
  switch (type) {
    case Type::counter:
      return "counter";
    case Type::histogram:
      return "histogram";
    case Type::gauge:
      break;
  }
  return "gauge";
}

void print_head(std::string& text, const MetricFamily& family) {
  text.append("# HELP ").append(family.name).append(" ").append(family.help);
  text.append("\n# TYPE ").append(family.name).append(" ").append(name_of(family.type)) += '\n';
}

void print_counter(std::string& text, const std::string& name, const Values& values) {
  for (const auto& [key, value] : values) {
    if (key == name || key.starts_with(name + '{')) print_value(text, key, value);
  }
}

struct PoolCounts {
  std::uint64_t workers = 0;
  std::uint64_t busy = 0;
};

void print_pools(std::string& text, const std::map<std::string, PoolCounts>& pools,
                 const MetricFamily& family, std::uint64_t PoolCounts::* count) {
  print_head(text, family);
  for (const auto& [pool, counts] : pools) {
    const std::array<LabelText, 1> labels{LabelText(pool)};
    print_value(text, key_of(family, "", labels), counts.*count);
  }
}

}  // namespace

std::string Metrics::text() const {
  Values values;
  for (const MetricsMemory::Series& series : memory_->series()) {
    if (!series.is_ready()) continue;
    values[series.key.data()] += series.value.load(std::memory_order_relaxed);
  }
  std::string text;
  for (const MetricFamily* family : metric::kCounted) {
    print_head(text, *family);
    const auto print = family->type == Type::histogram ? print_histogram : print_counter;
    print(text, family->name, values);
  }
  std::map<std::string, PoolCounts> pools;
  for (const MetricsMemory::Worker& worker : memory_->workers()) {
    if (!worker.lives()) continue;
    PoolCounts& pool = pools[worker.pool.data()];
    pool.workers += 1;
    pool.busy += worker.busy.load(std::memory_order_relaxed);
  }
  print_pools(text, pools, metric::kWorkersRunning, &PoolCounts::workers);
  print_pools(text, pools, metric::kWorkersBusy, &PoolCounts::busy);
  return text;
}

}  // namespace goldsmith::host
