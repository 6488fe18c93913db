#include "app/sys/metrics.hpp"

#include <algorithm>

#include "app/sys/metric_families.hpp"
#include "app/sys/metrics_memory.hpp"

namespace goldsmith::sys {

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
