// The rules that say what a matrix showed.
#pragma once

#include <string>
#include <vector>

#include "app/domain/component.hpp"
#include "app/start/matrix.hpp"

namespace goldsmith::start {

// A rule as in a manifest, of the first component.
struct Proposal {
  std::string rule;
  std::string versions;       // of the first
  std::string with_versions;  // of the other

  friend bool operator==(const Proposal&, const Proposal&) = default;
};

// Exactly as wide as what was seen of the pairs of `a` and `b`.
std::vector<Proposal> proposals_of(const domain::Component& a, const domain::Component& b,
                                   const Matrix& matrix);

}  // namespace goldsmith::start
