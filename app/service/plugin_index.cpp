#include "app/service/plugin_index.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace goldsmith::service {
namespace {

constexpr std::chrono::seconds kCounterAge{2};
// Downloads are logged by several workers at once, so a lower id may appear after a higher one.
// Rows this close behind the last one seen are looked at again; reading a counter twice does no
// harm.
constexpr std::int64_t kLogOverlap = 1000;

}  // namespace

db::PluginPage PluginIndex::page(const db::PluginFilter& filter, std::int64_t offset,
                                 std::int64_t limit, std::uint64_t epoch) {
  refresh(epoch);
  db::PluginPage page;
  const bool everything = filter.folded_text.empty() && !filter.category;
  const std::vector<Row> found = everything ? std::vector<Row>() : matching(filter);
  const std::vector<Row>& list = everything ? order_ : found;
  page.total = static_cast<std::int64_t>(list.size());
  if (offset >= page.total) return page;
  const auto first = list.begin() + offset;
  const auto last = list.begin() + std::min(page.total, offset + limit);
  std::vector<std::int64_t> ids;
  std::transform(first, last, std::back_inserter(ids), [&](Row row) { return rows_[row].id; });
  page.plugins = store_.summaries(ids);
  return page;
}

PluginIndex::Totals PluginIndex::totals(std::uint64_t epoch) {
  refresh(epoch);
  Totals totals;
  totals.plugins = static_cast<std::int64_t>(rows_.size());
  for (const Entry& row : rows_) totals.downloads += row.downloads;
  return totals;
}

std::vector<domain::CategoryCount> PluginIndex::categories(std::uint64_t epoch) {
  refresh(epoch);
  std::vector<domain::CategoryCount> counts;
  for (const domain::Slug& category : categories_) counts.push_back({category, 0});
  for (const Entry& row : rows_) ++counts[row.category].count;
  std::sort(counts.begin(), counts.end(),
            [](const auto& left, const auto& right) { return left.category < right.category; });
  return counts;
}

std::uint64_t PluginIndex::counters(std::uint64_t epoch) {
  refresh(epoch);
  return moves_;
}

std::optional<std::int64_t> PluginIndex::downloads(std::string_view slug, std::uint64_t epoch,
                                                   std::uint64_t counted) {
  refresh(epoch);
  if (counted != counted_here_) {
    follow_counters();
    counted_here_ = counted;
  }
  const auto row = find(slug);
  return row ? std::optional(rows_[*row].downloads) : std::nullopt;
}

void PluginIndex::refresh(std::uint64_t epoch) {
  if (!loaded_ || epoch != epoch_) {
    loaded_ = false;  // a failure in the middle leaves nothing that looks whole
    load();
    epoch_ = epoch;
    loaded_ = true;
  }
  if (is_due()) follow_counters();
}

void PluginIndex::load() {
  last_download_ = store_.last_download();
  rows_.clear();
  text_.clear();
  slugs_.clear();
  categories_.clear();
  ++moves_;
  std::map<domain::Slug, std::uint32_t> category_ids;
  store_.each_indexed([&](const db::IndexedPlugin& plugin) {
    const auto [category, added] =
        category_ids.try_emplace(plugin.category, static_cast<std::uint32_t>(categories_.size()));
    if (added) categories_.push_back(plugin.category);
    text_ += plugin.search_text;
    slugs_ += plugin.slug.str();
    rows_.push_back({static_cast<std::uint32_t>(plugin.id), category->second, plugin.downloads,
                     text_.size(), slugs_.size()});
  });
  order_.resize(rows_.size());
  std::iota(order_.begin(), order_.end(), Row{0});
  std::sort(order_.begin(), order_.end(), [&](Row left, Row right) { return before(left, right); });
  counted_ = clock_.now();
}

// Rows are in slug order, so the row itself settles a tie.
bool PluginIndex::before(Row left, Row right) const {
  return std::pair(-rows_[left].downloads, left) < std::pair(-rows_[right].downloads, right);
}

std::string_view PluginIndex::slug_of(Row row) const {
  const std::uint64_t start = row == 0 ? 0 : rows_[row - 1].slug_end;
  return std::string_view(slugs_).substr(start, rows_[row].slug_end - start);
}

std::optional<PluginIndex::Row> PluginIndex::find(std::string_view slug) const {
  const auto row_of = [this](const Entry& entry) {
    return static_cast<Row>(&entry - rows_.data());
  };
  const auto found = std::lower_bound(
      rows_.begin(), rows_.end(), slug,
      [&](const Entry& entry, std::string_view wanted) { return slug_of(row_of(entry)) < wanted; });
  if (found == rows_.end() || slug_of(row_of(*found)) != slug) return std::nullopt;
  return row_of(*found);
}

bool PluginIndex::is_due() const {
  const auto now = clock_.now();
  return now - counted_ >= kCounterAge || now < counted_;
}

void PluginIndex::follow_counters() {
  const std::int64_t newest = store_.last_download();
  if (newest != last_download_) {
    for (const auto& [slug, downloads] : store_.counters_since(last_download_ - kLogOverlap)) {
      if (const auto row = find(slug.str())) move(*row, downloads);
    }
    last_download_ = newest;
  }
  counted_ = clock_.now();
}

// Counters only grow, so a row only moves towards the front.
void PluginIndex::move(Row row, std::int64_t downloads) {
  if (rows_[row].downloads == downloads) return;
  ++moves_;
  const auto by_order = [&](Row left, Row right) { return before(left, right); };
  const auto old_place = std::lower_bound(order_.begin(), order_.end(), row, by_order);
  rows_[row].downloads = downloads;
  const auto new_place = std::lower_bound(order_.begin(), old_place, row, by_order);
  std::rotate(new_place, old_place, old_place + 1);
}

std::vector<PluginIndex::Row> PluginIndex::matching(const db::PluginFilter& filter) const {
  const auto category = filter.category
                            ? std::find(categories_.begin(), categories_.end(), *filter.category)
                            : categories_.end();
  if (filter.category && category == categories_.end()) return {};
  const auto wanted = static_cast<std::uint32_t>(category - categories_.begin());
  const bool by_text = !filter.folded_text.empty();
  const std::vector<bool> texts =
      by_text ? rows_with_text(filter.folded_text) : std::vector<bool>();

  std::vector<Row> found;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(found), [&](Row row) {
    return (!by_text || texts[row]) && (!filter.category || rows_[row].category == wanted);
  });
  return found;
}

// One pass over all texts. A needle holds no U+001F, so no match spans two of them.
std::vector<bool> PluginIndex::rows_with_text(std::string_view needle) const {
  std::vector<bool> found(rows_.size(), false);
  const std::string_view text = text_;
  std::size_t position = 0;
  std::size_t row = 0;
  while (true) {
    const void* match =
        memmem(text.data() + position, text.size() - position, needle.data(), needle.size());
    if (!match) return found;
    position = static_cast<std::size_t>(static_cast<const char*>(match) - text.data());
    while (rows_[row].text_end <= position) ++row;
    found[row] = true;
    position = rows_[row].text_end;
  }
}

}  // namespace goldsmith::service
