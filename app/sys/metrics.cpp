#include "app/sys/metrics.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace goldsmith::sys {
namespace {

constexpr std::uint64_t kVersion = 0x676f6c646d740001;  // "goldmt", layout 1
constexpr std::size_t kSeries = 2048;
constexpr std::size_t kLongestKey = 112;
constexpr std::size_t kWorkers = 256;
constexpr std::size_t kLongestPool = 16;

enum : std::uint32_t { k_free = 0, k_taken = 1, k_ready = 2 };

constexpr std::array kBounds = {"0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
                                "0.5",   "1",      "2.5",   "5",    "10",    "60",   "600"};

struct Family {
  const char* name;
  const char* type;
  const char* help;
};
constexpr Family kFamilies[] = {
    {"goldsmith_requests_total", "counter", "Requests answered, by route and status."},
    {"goldsmith_request_duration_seconds", "histogram", "Time in the worker, by route."},
    {"goldsmith_compiles_total", "counter", "Compiler runs, by result and toolchain."},
    {"goldsmith_compile_duration_seconds", "histogram", "Time of a compiler run, by toolchain."},
    {"goldsmith_archives_total", "counter",
     "Server archives handed out, by where they came from: built or cached."},
    {"goldsmith_archive_bytes_total", "counter",
     "Bytes of the server archives handed out, whole ones for ranges too."},
    {"goldsmith_limited_total", "counter", "Requests that a limit refused, by limit."},
    {"goldsmith_database_errors_total", "counter", "Requests that the database failed."},
};

// A sum of seconds is kept in microseconds.
bool is_sum(std::string_view key) { return key.find("_seconds_sum") != std::string_view::npos; }

std::string escaped(std::string_view value) {
  std::string text;
  for (const char byte : value) {
    if (byte == '\\' || byte == '"') text += '\\';
    text += byte == '\n' ? ' ' : byte;
  }
  return text;
}

// `name{a="b",le="1"}`; nothing in braces where there are no labels.
std::string key_of(std::string_view name, std::string_view suffix, Labels labels,
                   std::string_view bound = {}) {
  std::string key(name);
  key += suffix;
  char separator = '{';
  for (const auto& [label, value] : labels) {
    key += separator + std::string(label) + "=\"" + escaped(value) + '"';
    separator = ',';
  }
  if (!bound.empty()) {
    key += separator + std::string("le=\"") + std::string(bound) + '"';
    separator = ',';
  }
  return separator == '{' ? key : key + '}';
}

// A worker of another user name space may not be signalled, but is there.
bool is_alive(pid_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM); }

}  // namespace

struct Metrics::Series {
  std::atomic<std::uint32_t> state;
  std::array<char, kLongestKey> key;
  std::atomic<std::uint64_t> value;
};

struct Metrics::Worker {
  std::atomic<pid_t> pid;
  std::atomic<std::uint32_t> busy;
  std::array<char, kLongestPool> pool;
};

struct Metrics::Shared {
  std::uint64_t version;
  std::array<Series, kSeries> series;
  std::array<Worker, kWorkers> workers;
};

Metrics::Metrics(const std::filesystem::path& path)
    : file_(path, SharedFile::Open::create, {kVersion, sizeof(Shared)}) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                    std::atomic<std::uint32_t>::is_always_lock_free,
                "counters are shared between processes");
}

Metrics::~Metrics() {
  if (self_) self_->pid.store(0);
}

Metrics::Shared& Metrics::shared() const { return *static_cast<Shared*>(file_.data()); }

// The series of that key, begun if need be; null when there is no room. One that another process is
// just beginning is waited for, but not for ever: it may have been killed in between. The worst is
// a second series of the same key; text() adds them up.
Metrics::Series* Metrics::find(const std::string& key) {
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  if (key.size() >= kLongestKey) return nullptr;
  const std::size_t start = std::hash<std::string>{}(key) % kSeries;
  for (std::size_t probe = 0; probe < kSeries; ++probe) {
    Series& series = shared().series[(start + probe) % kSeries];
    std::uint32_t state = k_free;
    if (series.state.compare_exchange_strong(state, k_taken)) {
      std::memcpy(series.key.data(), key.c_str(), key.size() + 1);
      series.state.store(k_ready, std::memory_order_release);
      return known_[key] = &series;
    }
    for (int turn = 0; state == k_taken && turn < 1000; ++turn) {
      std::this_thread::yield();
      state = series.state.load(std::memory_order_acquire);
    }
    if (state == k_ready && key == series.key.data()) return known_[key] = &series;
  }
  return nullptr;
}

void Metrics::add(std::string_view name, Labels labels, std::uint64_t count) {
  Series* series = find(key_of(name, "", labels));
  if (series) series->value.fetch_add(count, std::memory_order_relaxed);
}

void Metrics::observe(std::string_view name, Labels labels, double seconds) {
  const auto count = [&](const std::string& key, std::uint64_t by) {
    if (Series* series = find(key)) series->value.fetch_add(by, std::memory_order_relaxed);
  };
  // A bucket is counted alone here; text() makes them cumulative.
  const auto bound = std::find_if(kBounds.begin(), kBounds.end(), [&](const char* each) {
    return seconds <= std::strtod(each, nullptr);
  });
  count(key_of(name, "_bucket", labels, bound == kBounds.end() ? "+Inf" : *bound), 1);
  count(key_of(name, "_sum", labels), static_cast<std::uint64_t>(seconds * 1e6));
  count(key_of(name, "_count", labels), 1);
}

void Metrics::join(std::string_view pool) {
  for (Worker& worker : shared().workers) {
    pid_t owner = worker.pid.load();
    if (is_alive(owner) || !worker.pid.compare_exchange_strong(owner, getpid())) continue;
    worker.busy.store(0);
    worker.pool.fill('\0');
    pool.substr(0, kLongestPool - 1).copy(worker.pool.data(), kLongestPool - 1);
    self_ = &worker;
    return;
  }
}

void Metrics::set_busy(bool busy) {
  if (self_) self_->busy.store(busy ? 1 : 0, std::memory_order_relaxed);
}

std::size_t Metrics::workers(std::string_view pool) const {
  return static_cast<std::size_t>(
      std::count_if(shared().workers.begin(), shared().workers.end(), [&](const Worker& worker) {
        return is_alive(worker.pid.load()) && pool == worker.pool.data();
      }));
}

namespace {

using Values = std::map<std::string, std::uint64_t>;

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
    for (const char* bound : kBounds) print(bound);
    print("+Inf");
    std::string closed = labels;
    if (closed.back() == ',') closed.back() = '}';
    if (closed == "{") closed.clear();
    for (const char* suffix : {"_sum", "_count"}) {
      const auto found = values.find(name + suffix + closed);
      print_value(text, name + suffix + closed, found == values.end() ? 0 : found->second);
    }
  }
}

void print_head(std::string& text, const Family& family) {
  text += std::string("# HELP ") + family.name + ' ' + family.help + "\n# TYPE " + family.name +
          ' ' + family.type + '\n';
}

}  // namespace

std::string Metrics::text() const {
  Values values;
  for (const Series& series : shared().series) {
    if (series.state.load(std::memory_order_acquire) != k_ready) continue;
    values[series.key.data()] += series.value.load(std::memory_order_relaxed);
  }
  std::string text;
  for (const Family& family : kFamilies) {
    print_head(text, family);
    if (std::string_view(family.type) == "histogram") {
      print_histogram(text, family.name, values);
      continue;
    }
    for (const auto& [key, value] : values) {
      if (key == family.name || key.starts_with(std::string(family.name) + '{')) {
        print_value(text, key, value);
      }
    }
  }
  std::map<std::string, std::array<std::uint64_t, 2>> pools;  // workers, busy ones
  for (const Worker& worker : shared().workers) {
    if (!is_alive(worker.pid.load())) continue;
    auto& pool = pools[worker.pool.data()];
    pool[0] += 1;
    pool[1] += worker.busy.load(std::memory_order_relaxed);
  }
  const Family gauges[] = {
      {"goldsmith_workers", "gauge", "Workers that run, by pool."},
      {"goldsmith_workers_busy", "gauge", "Workers with a request in hand, by pool."}};
  for (std::size_t each = 0; each < 2; ++each) {
    print_head(text, gauges[each]);
    for (const auto& [pool, counts] : pools) {
      print_value(text, key_of(gauges[each].name, "", {{"pool", pool}}), counts[each]);
    }
  }
  return text;
}

}  // namespace goldsmith::sys
