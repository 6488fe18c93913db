// Random catalogs and requests for the property tests; the same seed gives the same cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

class RandomCases {
 public:
  explicit RandomCases(std::uint32_t seed) : generator_(seed) {}

  // Few names and paths, so that rules apply and files collide often. The digest of a version
  // covers all of its files.
  domain::Catalog catalog();
  std::vector<Token> tokens(const domain::Catalog& catalog);
  std::vector<PluginOutcome> plugins();
  std::vector<domain::OverlaySection> overlays(const domain::Catalog& catalog);
  std::string bytes(std::size_t most);

  // True in `percent` percent of the cases.
  bool chance(unsigned percent) { return below(100) < percent; }
  std::size_t below(std::size_t bound) { return generator_() % bound; }

  template <class Item>
  void shuffle(std::vector<Item>& items) {
    std::shuffle(items.begin(), items.end(), generator_);
  }

 private:
  domain::Component component(const domain::Slug& slug, std::size_t of);
  domain::ComponentVersion version(const domain::Slug& slug, const std::string& name);
  std::string path();

  std::mt19937 generator_;
};

}  // namespace goldsmith::creator
