// What lists show of every published plugin, packed into memory: about 130 bytes a plugin, and its
// summary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/plugin_store.hpp"

namespace goldsmith::service {

class PluginTable {
 public:
  using Row = std::uint32_t;  // a plugin's place in slug order

  // Keeps the memory.
  void clear();
  // In slug order.
  void add(const db::IndexedPlugin& plugin);
  // At its place, which it returns: the rows from there on become one more. Precondition: no row
  // has its slug.
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
    std::uint32_t packed = 0;           // where it begins in packed_
    std::uint32_t search_text_end = 0;  // in search_texts_
    std::uint32_t id = 0;               // in the database
    std::uint16_t category = 0;         // index into categories_
    std::int64_t downloads = 0;
    domain::Timestamp updated_at{};
  };
  struct Unpacked {
    std::array<std::string_view, text_count> texts;
    domain::Rating rating;
  };

  Unpacked unpack(const Entry& entry) const;
  Row lower_bound(std::string_view slug) const;
  std::size_t packed_begin(Row row) const;
  std::size_t search_text_begin(Row row) const;
  // Where rows begin that so many bytes were put in front of, from `first` on.
  void shift(Row first, std::ptrdiff_t packed, std::ptrdiff_t search_texts);
  std::uint16_t category_index(std::string_view category);
  std::vector<Row> containing(std::string_view needle) const;

  std::vector<Entry> entries_;  // in slug order
  // A plugin has here the sizes of its texts in the order of the enumeration, sum and count of its
  // ratings, all as numbers of one byte or more, and the texts.
  std::string packed_;
  std::string search_texts_;  // of each plugin: folded name and tags, each ended by U+001F
  std::vector<domain::CategoryCount> categories_;  // some of them empty
};

}  // namespace goldsmith::service
