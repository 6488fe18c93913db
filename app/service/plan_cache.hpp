// Plans of selections, kept while what they were made from is known not to have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::service {

// A plan points into the catalog that it was made from; this keeps both.
struct ResolvedPlan {
  std::shared_ptr<const domain::Catalog> catalog;
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  creator::Plan plan;
};

// The least recently used plans give way when `max_bytes` are reached.
class PlanCache {
 public:
  explicit PlanCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // What a plan is made from.
  struct Basis {
    std::uint64_t epoch = 0;       // of the database (access::Freshness)
    std::uint64_t toolchains = 0;  // ToolchainWatch::generation

    friend bool operator==(const Basis&, const Basis&) = default;
  };

  // Null if there is none for that selection and basis.
  std::shared_ptr<const ResolvedPlan> find(const creator::SelectionRequest& request,
                                           const Basis& basis);
  void keep(const creator::SelectionRequest& request, const Basis& basis,
            std::shared_ptr<const ResolvedPlan> plan);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const ResolvedPlan> plan;
    std::size_t bytes = 0;
  };
  using Order = std::list<Entry>;

  void drop(Order::iterator entry);
  void drop_all_unless(const Basis& basis);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  Basis basis_;  // of all entries
  Order order_;  // most recently used first
  std::map<std::string, Order::iterator> by_key_;
};

}  // namespace goldsmith::service
