// The index of plugins in little memory: their words, and the table of plugins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/plugin_store.hpp"

namespace goldsmith::directory {

// Which documents have which words: an inverted index.
class WordIndex {
 public:
  // Where a document has a word, the least first.
  enum class Place : std::uint8_t { elsewhere, in_tags, in_name };
  using Document = std::uint32_t;  // from 0 on

  // How a document's word matches one that is searched for, the least first.
  enum class Fit : std::uint8_t { part, prefix, whole };

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

  // A score for each document: 0 if it lacks one of the words; otherwise the higher, the better it
  // has each: where, and as a whole word, as the beginning of one, or inside of one. A word is
  // whole if it is the plural of the other, too, as English has it. One of less than three bytes is
  // not looked for inside of words. Precondition: kMostWords at most, each as base::folded_words()
  // has them.
  // `raise` is given the points of each word, by document, and may raise them by what else is
  // known.
  using Raise = std::function<void(const std::string& word, std::vector<std::uint8_t>& points)>;
  std::vector<std::uint8_t> scores(const std::vector<std::string>& words,
                                   const Raise& raise = {}) const;

  // The memory that it takes.
  std::size_t bytes() const;

 private:
  using Word = std::uint32_t;

  Word word(std::string_view text);
  std::string_view text_of(Word word) const;
  std::size_t slot_of(std::string_view text) const;
  void grow_slots();
  std::optional<Word> find(std::string_view text) const;
  struct Match;
  std::vector<Match> matching(std::string_view needle) const;
  void score(const std::vector<Match>& matches, std::vector<std::uint8_t>& best) const;
  void score_fresh(const std::vector<Match>& matches, std::vector<std::uint8_t>& best) const;

  std::string vocabulary_;           // each word with a line feed before it
  std::vector<std::uint32_t> ends_;  // of the words in it
  std::vector<Word> slots_;          // a hash table of words; kNone = free
  // The documents that have each word, times four, and their places.
  std::vector<std::uint32_t> packed_;
  std::vector<std::uint32_t> packed_ends_;  // of each word in it
  std::size_t packed_documents_ = 0;
  // The words of each document that is not packed, times four, and their places.
  std::vector<std::uint32_t> fresh_;
  std::vector<std::uint32_t> fresh_ends_;
};

// What lists show of every published plugin: about 170 bytes a plugin, and its summary.
class PluginTable {
 public:
  using Row = std::uint32_t;  // a plugin's place in slug order

  // Keeps the memory.
  void clear();
  // At its place, which it returns: the rows from there on become one more. Quickest in slug order.
  // Precondition: no row has its slug.
  Row insert(const db::IndexedPlugin& plugin);
  // The rows behind it become one less.
  void erase(Row row);

  std::size_t size() const { return entries_.size(); }
  // The memory that it takes.
  std::size_t bytes() const;
  std::optional<Row> find(std::string_view slug) const;
  std::int64_t id(Row row) const { return entries_[row].id; }
  domain::PluginSummary summary(Row row) const;
  domain::Timestamp updated_at(Row row) const { return entries_[row].updated_at; }
  // In the letter case in which names are compared.
  std::string_view folded_name(Row row) const;
  std::int64_t downloads(Row row) const { return entries_[row].downloads; }
  void set_downloads(Row row, std::int64_t downloads) { entries_[row].downloads = downloads; }

  // All that have the text, category and author that the filter asks for, in no particular order.
  std::vector<Row> matching(const db::PluginFilter& filter) const;
  // In no particular order.
  std::vector<domain::CategoryCount> categories() const;

 private:
  enum Text { slug, name, author, license, latest_version, summary_line, text_count };
  struct Entry {
    std::uint32_t texts_end = 0;                   // in texts_
    std::uint32_t search_text_end = 0;             // in search_texts_
    std::uint32_t id = 0;                          // in the database
    std::uint16_t category = 0;                    // index into categories_
    std::array<std::uint16_t, text_count> ends{};  // of each of its texts, in all of them
    domain::Rating rating;
    std::int64_t downloads = 0;
    domain::Timestamp updated_at{};
  };

  std::string_view text(const Entry& entry, Text which) const;
  Row lower_bound(std::string_view slug) const;
  std::size_t texts_begin(Row row) const { return row == 0 ? 0 : entries_[row - 1].texts_end; }
  std::size_t search_text_begin(Row row) const {
    return row == 0 ? 0 : entries_[row - 1].search_text_end;
  }
  // Where rows end that so many bytes were put in or in front of, from `first` on.
  void shift(Row first, std::ptrdiff_t texts, std::ptrdiff_t search_texts);
  // Its index; the size of categories_ if there is none.
  std::size_t find_category(std::string_view category) const;
  std::vector<Row> containing(std::string_view needle) const;

  std::vector<Entry> entries_;  // in slug order
  std::string texts_;           // of each plugin: those of the enumeration, in its order
  std::string search_texts_;    // of each plugin: folded name and tags, each ended by U+001F
  std::vector<domain::CategoryCount> categories_;  // some of them empty
};

}  // namespace goldsmith::directory
