// Counters of all workers of a host, in memory that they share, and their text for Prometheus
// (exposition format 0.0.4). Lock-free; what a killed worker counted stays counted. Each metric is
// a member of Metrics: a misspelt name or a missing label does not compile.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "app/host/shared_file.hpp"

namespace goldsmith::host {

struct MetricFamily;  // name, type, help and labels
class MetricsMemory;  // the shared file

// What is counted of one series. A counter is the first value; the buckets of a histogram are all
// but the last one, which is the sum in microseconds.
using MetricValues = std::array<std::atomic<std::uint64_t>, 17>;

// Those of a series in the shared memory, begun if need be; null if there is no room.
MetricValues* find_values(MetricsMemory& memory, const MetricFamily& family,
                          std::span<const std::string> labels);

// `Labels`: the type of each label, std::string_view or int. The values must come from small sets
// of our own, never from a client: a series once begun stays, and there is room for 1,000.
template <typename... Labels>
class Metric {
 public:
  Metric(MetricsMemory& memory, const MetricFamily& family) : memory_(memory), family_(family) {}

 protected:
  // Looked up in the shared memory, by name, the first time that this process uses the labels.
  MetricValues* find(Labels... labels) {
    const auto known = series_.find(std::tie(labels...));
    if (known != series_.end()) return known->second;
    const std::array<std::string, sizeof...(Labels)> texts{text_of(labels)...};
    return series_[{Kept<Labels>(labels)...}] = find_values(memory_, family_, texts);
  }

 private:
  template <typename Label>
  using Kept = std::conditional_t<std::is_same_v<Label, std::string_view>, std::string, Label>;

  static std::string text_of(std::string_view label) { return std::string(label); }
  static std::string text_of(int label) { return std::to_string(label); }

  MetricsMemory& memory_;
  const MetricFamily& family_;
  std::map<std::tuple<Kept<Labels>...>, MetricValues*, std::less<>> series_;
};

template <typename... Labels>
class Counter : Metric<Labels...> {
 public:
  using Metric<Labels...>::Metric;

  void add(Labels... labels, std::uint64_t count = 1) {
    MetricValues* values = this->find(labels...);
    if (values) values->front().fetch_add(count, std::memory_order_relaxed);
  }
};

// Adds one observation to the values of a histogram.
void observe(MetricValues& values, std::chrono::duration<double> value);

// Durations, from a millisecond to ten minutes.
template <typename... Labels>
class Histogram : Metric<Labels...> {
 public:
  using Metric<Labels...>::Metric;

  void observe(Labels... labels, std::chrono::duration<double> value) {
    MetricValues* values = this->find(labels...);
    if (values) host::observe(*values, value);
  }
};

class Metrics {
 private:
  std::unique_ptr<MetricsMemory> memory_;

 public:
  // The file of a host, in the folder of `state`. Another layout needs another name (SharedFile).
  static constexpr const char* kFile = "counters";

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
  Counter<std::string_view, std::string_view> downloads;  // of a plugin or server, by reason
  Counter<std::string_view> limited;                      // requests refused, by limit
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

}  // namespace goldsmith::host
