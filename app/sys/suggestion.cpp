#include "app/sys/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace goldsmith::sys {
namespace {

constexpr std::size_t kMaxNameLength = 40;

// Levenshtein distance.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t substituted = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  if (text.size() > kMaxNameLength) return {};
  std::string_view best;
  std::size_t fewest = text.size() / 3 + 1;  // with more differences it is another word
  for (const std::string_view candidate : candidates) {
    const std::size_t steps = distance(text, candidate);
    if (steps >= candidate.size() || steps > fewest || (steps == fewest && !best.empty())) continue;
    best = candidate;
    fewest = steps;
  }
  return best;
}

std::string alternatives(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace goldsmith::sys
