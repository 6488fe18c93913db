// Random catalogs and requests for the property tests and for fuzzing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

class RandomCases {
 public:
  using Source = std::function<std::uint32_t()>;

  // The same seed gives the same cases.
  explicit RandomCases(std::uint32_t seed) : next_(std::mt19937(seed)) {}
  explicit RandomCases(Source source) : next_(std::move(source)) {}

  // Few names and paths, so that rules apply and files collide often. The digest of a version
  // covers all of its files.
  domain::Catalog catalog();
  std::vector<Token> tokens(const domain::Catalog& catalog);
  std::vector<PluginOutcome> plugins();
  std::vector<domain::OverlaySection> overlays(const domain::Catalog& catalog);
  std::string bytes(std::size_t most);

  // True in `percent` percent of the cases.
  bool chance(unsigned percent) { return below(100) < percent; }
  std::size_t below(std::size_t bound) { return next_() % bound; }

  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  domain::Component component(const domain::Slug& slug, std::size_t of);
  domain::ComponentVersion version(const domain::Slug& slug, const std::string& name);
  std::string path();

  Source next_;
};

}  // namespace goldsmith::creator
