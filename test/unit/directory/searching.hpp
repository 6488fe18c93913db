// Searches of a directory::WordIndex, as people write them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/text.hpp"
#include "app/directory/packed_index.hpp"

namespace goldsmith::test {

inline std::vector<std::uint8_t> scores_of(const directory::WordIndex& index,
                                           std::string_view text) {
  const std::string folded = base::folded_words(text);
  std::vector<std::string> words;
  for (const std::string_view word : base::split(folded, ' ')) words.emplace_back(word);
  return index.scores(words);
}

// The documents that have all words, the best first; among equals the first that was added.
inline std::vector<std::size_t> found_by(const directory::WordIndex& index, std::string_view text) {
  const std::vector<std::uint8_t> scores = scores_of(index, text);
  std::vector<std::size_t> documents;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0) documents.push_back(i);
  }
  std::stable_sort(documents.begin(), documents.end(), [&](std::size_t left, std::size_t right) {
    return scores[left] > scores[right];
  });
  return documents;
}

}  // namespace goldsmith::test
