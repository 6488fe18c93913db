// What the processes of a host share of their metrics: series by name, and the workers that live.
// For metrics*.cpp alone.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/sys/metrics.hpp"
#include "app/sys/shared_file.hpp"

namespace goldsmith::sys {

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

}  // namespace goldsmith::sys
