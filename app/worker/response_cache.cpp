#include "app/worker/response_cache.hpp"

#include <utility>

namespace goldsmith::worker {
namespace {

// A response's share of the memory, with what lists and maps add to it.
std::size_t weigh(const std::string& key, const http::KeptResponse& response) {
  constexpr std::size_t kOverhead = 400;
  return kOverhead + key.size() + response.whole().size();
}

}  // namespace

ResponseCache::Response ResponseCache::find(const std::string& key, const Validity& current,
                                            std::int64_t now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  const auto kept = found->second;
  const Validity& made_from = kept->validity;
  if (made_from.epoch != current.epoch || made_from.counters != current.counters ||
      made_from.verdicts != current.verdicts || made_from.toolchains != current.toolchains ||
      made_from.good_until <= now) {
    drop(kept);
    return nullptr;
  }
  order_.splice(order_.begin(), order_, kept);
  return kept->response;
}

void ResponseCache::keep(const std::string& key, const Validity& validity, Response response,
                         std::size_t max_bytes) {
  const std::size_t bytes = weigh(key, *response);
  if (bytes > max_bytes / 4) return;  // one giant must not push all others out
  if (const auto found = by_key_.find(key); found != by_key_.end()) drop(found->second);
  while (!order_.empty() && bytes_ + bytes > max_bytes) drop(std::prev(order_.end()));
  order_.push_front({key, validity, std::move(response), bytes});
  by_key_[order_.front().key] = order_.begin();
  bytes_ += bytes;
}

void ResponseCache::drop(Order::iterator kept) {
  bytes_ -= kept->bytes;
  by_key_.erase(kept->key);
  order_.erase(kept);
}

}  // namespace goldsmith::worker
