// Values by key, within a number of bytes: the least recently used ones give way.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace goldsmith::base {

template <typename Value>
class LruCache {
 public:
  // Null if there is none. Valid until put(), erase() or clear() is called.
  const Value* find(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->value;
  }

  // Replaces the value of the key. `bytes` is the value's share of `max_bytes`, which all values
  // have together, the caller's estimate. A value of more than a quarter of them is not stored: it
  // would push out too many others.
  void put(std::string key, Value value, std::size_t bytes, std::size_t max_bytes) {
    erase(key);
    if (bytes > max_bytes / 4) return;
    while (!order_.empty() && bytes_ + bytes > max_bytes) erase(order_.back().key);
    order_.push_front({std::move(key), std::move(value), bytes});
    by_key_.emplace(order_.front().key, order_.begin());
    bytes_ += bytes;
  }

  void erase(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const auto entry = found->second;
    bytes_ -= entry->bytes;
    by_key_.erase(found);
    order_.erase(entry);
  }

  void clear() {
    by_key_.clear();
    order_.clear();
    bytes_ = 0;
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    std::size_t bytes = 0;
  };

  std::size_t bytes_ = 0;
  std::list<Entry> order_;  // most recently used first
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator> by_key_;
};

}  // namespace goldsmith::base
