#include "app/sys/metrics.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

#include "app/sys/metric_families.hpp"
#include "app/sys/metrics_memory.hpp"

namespace goldsmith::sys {
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

}  // namespace

std::string metric::key_of(const MetricFamily& family, std::string_view suffix,
                           std::span<const LabelText> labels, std::string_view bound) {
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
    entry.slots.push_back(memory_.find(metric::key_of(family_, "", labels)));
    return entry.slots;
  }
  for (const char* bound : metric::kBounds) {
    entry.slots.push_back(memory_.find(metric::key_of(family_, "_bucket", labels, bound)));
  }
  for (const std::string& key :
       {metric::key_of(family_, "_bucket", labels, metric::kAbove),
        metric::key_of(family_, "_sum", labels), metric::key_of(family_, "_count", labels)}) {
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

}  // namespace goldsmith::sys
