#include "app/sys/metrics_memory.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

namespace goldsmith::sys {
namespace {

constexpr std::uint64_t kMetricsVersion = 0x676f6c646d740001;  // "goldmt", layout 1

// A worker of another user name space may not be signalled, but is there.
bool is_alive(pid_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM); }

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

}  // namespace goldsmith::sys
