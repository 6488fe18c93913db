// Rendered responses, kept while what they show is known not to have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/http/kept_response.hpp"

namespace goldsmith::worker {

class ResponseCache {
 public:
  using Response = std::shared_ptr<const http::KeptResponse>;

  // What a response was made from; one made from anything else is not found.
  struct Validity {
    std::uint64_t epoch = 0;
    std::uint64_t counters = 0;  // of what else it shows; 0 where there is nothing else
    std::int64_t verdicts = 0;   // about compiles, and the toolchains that they are about; 0 where
    std::uint64_t toolchains = 0;  // it shows none
    std::int64_t good_until = 0;   // seconds since the epoch; ignored in look-ups
  };

  // Null when there is none that is valid at `now`.
  Response find(const std::string& key, const Validity& current, std::int64_t now);
  // The least recently used responses give way when all together would take more than `max_bytes`.
  void keep(const std::string& key, const Validity& validity, Response response,
            std::size_t max_bytes);

 private:
  struct Entry {
    std::string key;
    Validity validity;
    Response response;
    std::size_t bytes = 0;
  };
  using Order = std::list<Entry>;

  void drop(Order::iterator kept);

  std::size_t bytes_ = 0;
  Order order_;                                                   // most recently used first
  std::unordered_map<std::string_view, Order::iterator> by_key_;  // the keys are those in order_
};

}  // namespace goldsmith::worker
