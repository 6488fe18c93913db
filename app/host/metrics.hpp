// Counters of all workers of a host, in memory that they share, and their text for Prometheus
// (exposition format 0.0.4). Lock-free; what a killed worker counted stays counted. Each metric is
// a member of Metrics: a misspelt name or a missing label does not compile.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/host/shared_file.hpp"

namespace goldsmith::host {

struct MetricFamily;  // name, type, help and labels
class MetricsMemory;  // the shared file

// A label's value as text. No allocation: this is built on every request.
class LabelText {
 public:
  explicit LabelText(std::string_view text) : text_(text) {}
  explicit LabelText(int number) {
    const char* end = std::to_chars(digits_.begin(), digits_.end(), number).ptr;
    text_ = std::string_view(digits_.data(), static_cast<std::size_t>(end - digits_.data()));
  }
  LabelText(const LabelText&) = delete;
  LabelText& operator=(const LabelText&) = delete;

  std::string_view view() const { return text_; }

 private:
  std::array<char, 12> digits_{};
  std::string_view text_;
};

// Where the values of a family stand in the shared memory: looked up there, by name, the first time
// that this process uses a label set, and remembered.
class MetricSlots {
 public:
  using Slot = std::atomic<std::uint64_t>*;  // null where the memory has no room

  MetricSlots(MetricsMemory& memory, const MetricFamily& family)
      : memory_(memory), family_(family) {}

  // One slot for a counter; one a bucket, the sum and the count for a histogram.
  std::span<const Slot> find(std::span<const LabelText> labels);

 private:
  struct Entry {
    std::vector<std::string> labels;
    std::vector<Slot> slots;
  };

  MetricsMemory& memory_;
  const MetricFamily& family_;
  std::vector<Entry> entries_;
};

// `Labels`: the type of each label, std::string_view or int. The values must come from small sets
// of our own, never from a client: a series once begun stays, and there is room for 2,000.
template <typename... Labels>
class Counter {
 public:
  Counter(MetricsMemory& memory, const MetricFamily& family) : slots_(memory, family) {}

  void add(Labels... labels, std::uint64_t count = 1) {
    const std::array<LabelText, sizeof...(Labels)> texts{LabelText(labels)...};
    const MetricSlots::Slot slot = slots_.find(texts).front();
    if (slot) slot->fetch_add(count, std::memory_order_relaxed);
  }

 private:
  MetricSlots slots_;
};

// Adds one observation to the slots of a histogram.
void observe(std::span<const MetricSlots::Slot> slots, std::chrono::duration<double> value);

// Durations, from a millisecond to ten minutes.
template <typename... Labels>
class Histogram {
 public:
  Histogram(MetricsMemory& memory, const MetricFamily& family) : slots_(memory, family) {}

  void observe(Labels... labels, std::chrono::duration<double> value) {
    const std::array<LabelText, sizeof...(Labels)> texts{LabelText(labels)...};
    host::observe(slots_.find(texts), value);
  }

 private:
  MetricSlots slots_;
};

class Metrics {
 private:
  std::unique_ptr<MetricsMemory> memory_;

 public:
  // Creates the file if it does not exist. Throws FileError.
  explicit Metrics(const std::filesystem::path& path);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter<std::string_view, int> requests;               // by route and status
  Histogram<std::string_view> request_duration;          // by route
  Counter<std::string_view, std::string_view> compiles;  // by result and toolchain
  Histogram<std::string_view> compile_duration;          // by toolchain
  Counter<std::string_view> archives;                    // handed out, from "cache" or "build"
  Counter<> archive_bytes;
  Counter<std::string_view> limited;  // requests refused, by limit
  Counter<> database_errors;

  // Makes this process a worker of that pool (at most 15 characters) until it ends. Busy: it is
  // handling a request.
  void join(std::string_view pool);
  void set_busy(bool busy);

  // All that was counted, with the living workers.
  std::string text() const;
  // The number of living workers of that pool, and of those that are busy.
  std::size_t workers(std::string_view pool) const;
  std::size_t busy(std::string_view pool) const;
  // The sum of `requests` over all processes.
  std::uint64_t requests_answered() const;
  // The workers of the pool that this process joined, itself included; 0 if it joined none.
  std::size_t pool_size() const;
};

// The metrics by name, and how their series are called in the memory that workers share and in the
// text for Prometheus. For metrics*.cpp alone.

struct MetricFamily {
  enum class Type { counter, histogram, gauge };

  const char* name;
  Type type;
  const char* help;
  std::array<const char*, 2> labels{};
};

namespace metric {

inline constexpr MetricFamily kRequests{"goldsmith_requests_total",
                                        MetricFamily::Type::counter,
                                        "Requests answered, by route and status.",
                                        {"route", "status"}};
inline constexpr MetricFamily kRequestDuration{"goldsmith_request_duration_seconds",
                                               MetricFamily::Type::histogram,
                                               "Time in the worker, by route.",
                                               {"route"}};
inline constexpr MetricFamily kCompiles{"goldsmith_compiles_total",
                                        MetricFamily::Type::counter,
                                        "Compiler runs, by result and toolchain.",
                                        {"result", "toolchain"}};
inline constexpr MetricFamily kCompileDuration{"goldsmith_compile_duration_seconds",
                                               MetricFamily::Type::histogram,
                                               "Time of a compiler run, by toolchain.",
                                               {"toolchain"}};
inline constexpr MetricFamily kArchives{
    "goldsmith_archives_total",
    MetricFamily::Type::counter,
    "Server archives handed out, by where they came from: built or cached.",
    {"from"}};
inline constexpr MetricFamily kArchiveBytes{
    "goldsmith_archive_bytes_total",
    MetricFamily::Type::counter,
    "Bytes of the server archives handed out, whole ones for ranges too.",
    {}};
inline constexpr MetricFamily kLimited{"goldsmith_limited_total",
                                       MetricFamily::Type::counter,
                                       "Requests that a limit refused, by limit.",
                                       {"limit"}};
inline constexpr MetricFamily kDatabaseErrors{"goldsmith_database_errors_total",
                                              MetricFamily::Type::counter,
                                              "Requests that the database failed.",
                                              {}};
inline constexpr MetricFamily kWorkersRunning{
    "goldsmith_workers", MetricFamily::Type::gauge, "Workers that run, by pool.", {"pool"}};
inline constexpr MetricFamily kWorkersBusy{"goldsmith_workers_busy",
                                           MetricFamily::Type::gauge,
                                           "Workers with a request in hand, by pool.",
                                           {"pool"}};

// In the order of the text.
inline constexpr std::array kCounted = {&kRequests,        &kRequestDuration, &kCompiles,
                                        &kCompileDuration, &kArchives,        &kArchiveBytes,
                                        &kLimited,         &kDatabaseErrors};

// The upper bounds of a histogram's buckets.
inline constexpr std::array kBounds = {"0.001", "0.0025", "0.005", "0.01", "0.025",
                                       "0.05",  "0.1",    "0.25",  "0.5",  "1",
                                       "2.5",   "5",      "10",    "60",   "600"};
// kBounds as numbers of seconds, and the bound of what is above all of them.
inline constexpr std::array kLimits = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                       0.5,   1.0,    2.5,   5.0,  10.0,  60.0, 600.0};
static_assert(kBounds.size() == kLimits.size());
inline constexpr const char* kAbove = "+Inf";

// `name{a="b",le="1"}`; no braces where there are no labels.
std::string key_of(const MetricFamily& family, std::string_view suffix,
                   std::span<const LabelText> labels, std::string_view bound = {});

}  // namespace metric

// What the processes of a host share of their metrics: series by name, and the workers that live.
// For metrics*.cpp alone.

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

}  // namespace goldsmith::host
