#include "app/service/plugin_table.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "app/service/packed_number.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::service {

void PluginTable::clear() {
  entries_.clear();
  packed_.clear();
  search_texts_.clear();
  categories_.clear();
}

void PluginTable::add(const db::IndexedPlugin& plugin) {
  Entry entry;
  entry.packed = static_cast<std::uint32_t>(packed_.size());
  const std::array<std::string_view, text_count> texts{plugin.slug,           plugin.name,
                                                       plugin.author,         plugin.license,
                                                       plugin.latest_version, plugin.summary};
  for (const std::string_view text : texts) append_number(packed_, text.size());
  append_number(packed_, static_cast<std::uint64_t>(plugin.rating.sum));
  append_number(packed_, static_cast<std::uint64_t>(plugin.rating.count));
  for (const std::string_view text : texts) packed_ += text;
  // It was folded when it was imported, perhaps by a version that told ı and i apart.
  search_texts_ += sys::fold_case(plugin.search_text);
  entry.search_text_end = static_cast<std::uint32_t>(search_texts_.size());
  entry.category = category_index(plugin.category);
  ++categories_[entry.category].count;
  entry.id = static_cast<std::uint32_t>(plugin.id);
  entry.downloads = plugin.downloads;
  entry.updated_at = plugin.updated_at;
  entries_.push_back(entry);
}

PluginTable::Row PluginTable::insert(const db::IndexedPlugin& plugin) {
  PluginTable alone;
  alone.add(plugin);
  const Row row = lower_bound(plugin.slug);
  const std::size_t search_text = search_text_begin(row);
  Entry entry = alone.entries_.front();
  const std::size_t packed = packed_begin(row);
  entry.packed = static_cast<std::uint32_t>(packed);
  entry.search_text_end += static_cast<std::uint32_t>(search_text);
  entry.category = category_index(plugin.category);
  ++categories_[entry.category].count;
  packed_.insert(packed, alone.packed_);
  search_texts_.insert(search_text, alone.search_texts_);
  entries_.insert(entries_.begin() + row, entry);
  shift(row + 1, std::ssize(alone.packed_), std::ssize(alone.search_texts_));
  return row;
}

void PluginTable::erase(Row row) {
  const std::size_t packed = packed_begin(row + 1) - packed_begin(row);
  const std::size_t search_text = search_text_begin(row + 1) - search_text_begin(row);
  packed_.erase(packed_begin(row), packed);
  search_texts_.erase(search_text_begin(row), search_text);
  --categories_[entries_[row].category].count;
  entries_.erase(entries_.begin() + row);
  shift(row, -static_cast<std::ptrdiff_t>(packed), -static_cast<std::ptrdiff_t>(search_text));
}

void PluginTable::shift(Row first, std::ptrdiff_t packed, std::ptrdiff_t search_texts) {
  for (auto entry = entries_.begin() + first; entry != entries_.end(); ++entry) {
    entry->packed += static_cast<std::uint32_t>(packed);
    entry->search_text_end += static_cast<std::uint32_t>(search_texts);
  }
}

std::size_t PluginTable::packed_begin(Row row) const {
  return row < entries_.size() ? entries_[row].packed : packed_.size();
}

std::size_t PluginTable::search_text_begin(Row row) const {
  return row == 0 ? 0 : entries_[row - 1].search_text_end;
}

std::string_view PluginTable::folded_name(Row row) const {
  const std::string_view rest = std::string_view(search_texts_).substr(search_text_begin(row));
  return rest.substr(0, rest.find('\x1f'));
}

std::vector<domain::CategoryCount> PluginTable::categories() const {
  std::vector<domain::CategoryCount> used;
  for (const domain::CategoryCount& each : categories_) {
    if (each.count > 0) used.push_back(each);
  }
  return used;
}

std::size_t PluginTable::bytes() const {
  return entries_.size() * sizeof(Entry) + packed_.size() + search_texts_.size();
}

// A directory has a few dozen categories.
std::uint16_t PluginTable::category_index(std::string_view category) {
  const auto found = std::find_if(categories_.begin(), categories_.end(),
                                  [&](const auto& known) { return known.category == category; });
  const auto index = static_cast<std::uint16_t>(found - categories_.begin());
  if (found == categories_.end()) categories_.push_back({domain::Slug::parse(category).value(), 0});
  return index;
}

PluginTable::Unpacked PluginTable::unpack(const Entry& entry) const {
  std::string_view rest = std::string_view(packed_).substr(entry.packed);
  std::array<std::size_t, text_count> sizes{};
  for (std::size_t& size : sizes) size = take_number(rest);
  Unpacked plugin;
  plugin.rating.sum = static_cast<std::int64_t>(take_number(rest));
  plugin.rating.count = static_cast<std::int64_t>(take_number(rest));
  for (std::size_t which = 0; which < text_count; ++which) {
    plugin.texts[which] = rest.substr(0, sizes[which]);
    rest.remove_prefix(sizes[which]);
  }
  return plugin;
}

PluginTable::Row PluginTable::lower_bound(std::string_view wanted) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), wanted,
      [&](const Entry& entry, std::string_view than) { return unpack(entry).texts[slug] < than; });
  return static_cast<Row>(found - entries_.begin());
}

std::optional<PluginTable::Row> PluginTable::find(std::string_view wanted) const {
  const Row row = lower_bound(wanted);
  if (row == entries_.size() || unpack(entries_[row]).texts[slug] != wanted) return std::nullopt;
  return row;
}

domain::PluginSummary PluginTable::summary(Row row) const {
  const Entry& entry = entries_[row];
  const auto [texts, rating] = unpack(entry);
  return {domain::Slug::parse(texts[slug]).value(),
          std::string(texts[name]),
          categories_[entry.category].category,
          std::string(texts[author]),
          std::string(texts[license]),
          domain::Version::parse(texts[latest_version]),  // "" if there is none
          rating,
          entry.downloads,
          entry.updated_at,
          std::string(texts[summary_line])};
}

std::vector<PluginTable::Row> PluginTable::matching(const db::PluginFilter& filter) const {
  std::vector<Row> rows;
  if (filter.folded_text.empty()) {
    rows.resize(entries_.size());
    std::iota(rows.begin(), rows.end(), Row{0});
  } else {
    rows = containing(filter.folded_text);
  }
  if (filter.category) {
    std::erase_if(rows, [&](Row row) {
      return categories_[entries_[row].category].category != *filter.category;
    });
  }
  if (!filter.author.empty()) {
    std::erase_if(rows,
                  [&](Row row) { return unpack(entries_[row]).texts[author] != filter.author; });
  }
  return rows;
}

// One pass over all texts. A needle holds no U+001F, so no match spans two of them.
std::vector<PluginTable::Row> PluginTable::containing(std::string_view needle) const {
  std::vector<Row> rows;
  const std::string_view text = search_texts_;
  std::size_t position = 0;
  auto entry = entries_.begin();
  while (const void* match =
             memmem(text.data() + position, text.size() - position, needle.data(), needle.size())) {
    position = static_cast<std::size_t>(static_cast<const char*>(match) - text.data());
    entry = std::upper_bound(
        entry, entries_.end(), position,
        [](std::size_t place, const Entry& each) { return place < each.search_text_end; });
    rows.push_back(static_cast<Row>(entry - entries_.begin()));
    position = entry->search_text_end;
  }
  return rows;
}

}  // namespace goldsmith::service
