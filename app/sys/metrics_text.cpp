#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "app/sys/metric_families.hpp"
#include "app/sys/metrics.hpp"
#include "app/sys/metrics_memory.hpp"

namespace goldsmith::sys {
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
    print_value(text, metric::key_of(family, "", labels), counts.*count);
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

}  // namespace goldsmith::sys
