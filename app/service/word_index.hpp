// Which documents have which words: an inverted index, packed into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::service {

class WordIndex {
 public:
  // Where a document has a word, the least first.
  enum class Place : std::uint8_t { elsewhere, in_tags, in_name };
  using Document = std::uint32_t;  // from 0 on

  // How many words a search may ask for.
  static constexpr std::size_t kMostWords = 8;

  void clear();
  // A text of the next document; UTF-8.
  void put(Place place, std::string_view text);
  // Ends the document, which has what was put since the last one. Those that are added after
  // pack() make a search slower, the more they are.
  Document add();
  // Called once, when all known documents have been added.
  void pack();
  // Documents that were added after pack().
  std::size_t unpacked() const { return fresh_ends_.size(); }

  // A score for each document: 0 if it lacks one of the words; otherwise the higher, the more of
  // them are in its name, and among equals in its tags. A document has a word if it is a part of
  // one of its own; one of less than three bytes has to be the beginning. Precondition: kMostWords
  // at most, each as sys::folded_words() has them.
  std::vector<std::uint8_t> scores(const std::vector<std::string>& words) const;

  // The memory that it takes.
  std::size_t bytes() const;

 private:
  using Word = std::uint32_t;

  Word word(std::string_view text);
  std::string_view text_of(Word word) const;
  std::size_t slot_of(std::string_view text) const;
  void grow_slots();
  std::vector<Word> matching(std::string_view needle) const;
  void score(const std::vector<Word>& words, std::vector<std::uint8_t>& best) const;
  void score_fresh(const std::vector<Word>& words, std::vector<std::uint8_t>& best) const;

  std::string vocabulary_;           // each word with a line feed before it
  std::vector<std::uint32_t> ends_;  // of the words in it
  std::vector<Word> slots_;          // a hash table of words; kNone = free
  // The documents that have each word, ascending, as packed numbers: the distance from the one
  // before, times four, and the place.
  std::u16string packed_;
  std::vector<std::uint32_t> packed_ends_;
  std::size_t packed_documents_ = 0;
  // The words of each document that is not packed, times four, and their places.
  std::vector<std::uint32_t> fresh_;
  std::vector<std::uint32_t> fresh_ends_;
};

}  // namespace goldsmith::service
