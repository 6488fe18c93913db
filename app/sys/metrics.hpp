// Counters of all workers of a host, in memory that they share, and their text for Prometheus
// (exposition format 0.0.4). Lock-free; what a killed worker counted stays counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/sys/shared_file.hpp"

namespace goldsmith::sys {

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

class Metrics {
 public:
  // Makes the file where it is missing. Throws FileError.
  explicit Metrics(const std::filesystem::path& path);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Counts. The name must be one of those that text() knows; label values must come from small sets
  // of our own, never from a client: a series once begun stays, and there is room for 2,000.
  void add(std::string_view name, Labels labels, std::uint64_t count = 1);
  // A histogram in seconds, from a millisecond to ten minutes.
  void observe(std::string_view name, Labels labels, double seconds);

  // This process is a worker of that pool (at most 15 characters) until it ends. Busy: it has a
  // request in hand.
  void join(std::string_view pool);
  void set_busy(bool busy);

  // Everything that was counted, with the workers that live.
  std::string text() const;
  // Workers of that pool that live.
  std::size_t workers(std::string_view pool) const;

 private:
  struct Shared;
  struct Series;
  struct Worker;

  Series* find(const std::string& key);
  Shared& shared() const;

  SharedFile file_;
  std::unordered_map<std::string, Series*> known_;
  Worker* self_ = nullptr;
};

}  // namespace goldsmith::sys
