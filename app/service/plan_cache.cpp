#include "app/service/plan_cache.hpp"

#include <iterator>
#include <utility>

namespace goldsmith::service {
namespace {

// The same for every spelling of a selection: its tokens are sorted, each once. No token holds a
// line feed, which would have been trimmed or is part of no slug; a length goes before each anyway.
std::string key_of(const creator::SelectionRequest& request) {
  std::string key = request.optimized ? "optimized" : "plain";
  const auto append = [&](char kind, const std::string& text) {
    key += '\n';
    key += kind + std::to_string(text.size()) + ' ' + text;
  };
  if (!request.components) key += "\nrecommended";
  if (request.components) {
    for (const creator::Token& token : *request.components) {
      append('c', token.slug);
      append('@', token.version);
    }
  }
  for (const std::string& slug : request.plugins) append('p', slug);
  return key;
}

// A plan's share of the memory, roughly.
std::size_t weigh(const std::string& key, const creator::Plan& plan) {
  std::size_t bytes = 2 * key.size() + sizeof(ResolvedPlan);
  for (const creator::PlannedFile& file : plan.files) {
    bytes += sizeof file + file.path.size() + file.sha256.size();
    if (const auto* content = std::get_if<std::string>(&file.source)) bytes += content->size();
  }
  for (const std::string& note : plan.notes) bytes += sizeof note + note.size();
  return bytes;
}

}  // namespace

std::shared_ptr<const ResolvedPlan> PlanCache::find(const creator::SelectionRequest& request,
                                                    const Basis& basis) {
  drop_all_unless(basis);
  const auto found = by_key_.find(key_of(request));
  if (found == by_key_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->plan;
}

void PlanCache::keep(const creator::SelectionRequest& request, const Basis& basis,
                     std::shared_ptr<const ResolvedPlan> plan) {
  drop_all_unless(basis);
  std::string key = key_of(request);
  const std::size_t bytes = weigh(key, plan->plan);
  if (bytes > max_bytes_ / 2) return;  // one giant must not push all others out
  if (const auto found = by_key_.find(key); found != by_key_.end()) drop(found->second);
  while (bytes_ + bytes > max_bytes_) drop(std::prev(order_.end()));
  order_.push_front({key, std::move(plan), bytes});
  by_key_.emplace(std::move(key), order_.begin());
  bytes_ += bytes;
}

void PlanCache::drop(Order::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  order_.erase(entry);
}

void PlanCache::drop_all_unless(const Basis& basis) {
  if (basis == basis_) return;
  by_key_.clear();
  order_.clear();
  bytes_ = 0;
  basis_ = basis;
}

}  // namespace goldsmith::service
