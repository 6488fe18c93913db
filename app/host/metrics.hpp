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

}  // namespace goldsmith::host
