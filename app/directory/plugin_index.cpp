#include "app/directory/plugin_index.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace goldsmith::directory {
namespace {

constexpr std::chrono::seconds kCounterAge{2};
// Downloads are logged by several workers at once, so a lower id may appear after a higher one.
// Rows this close behind the last one seen are looked at again; reading a counter twice does no
// harm.
constexpr std::int64_t kLogOverlap = 1000;

// Each of them moves all that stands behind it, so that more are read together with all others.
constexpr std::int64_t kMostChanges = 50;
// Words that are not packed are looked through one by one: so many plugins take a fraction of the
// time of a search.
constexpr std::size_t kMostUnpacked = 1000;

// Sorts what stands from `first` to `last` when all is sorted, and leaves the rest.
template <typename Rows, typename Before>
void sort_slice(Rows& rows, std::int64_t first, std::int64_t last, Before before) {
  std::nth_element(rows.begin(), rows.begin() + first, rows.end(), before);
  std::partial_sort(rows.begin() + first, rows.begin() + last, rows.end(), before);
}

// Whether plugins that are in the order of their downloads need not be sorted by what the table
// knows of them.
bool is_in_order(const db::PluginFilter& filter) {
  const bool by_downloads =
      filter.order == db::PluginOrder::relevance || filter.order == db::PluginOrder::downloads;
  return by_downloads && filter.folded_text.empty() && !filter.category && filter.author.empty();
}

// Without a branch, which would be taken at random.
template <typename Row>
void keep_scored(std::vector<Row>& rows, const std::vector<std::uint8_t>& scores) {
  auto end = rows.begin();
  for (const Row row : rows) {
    *end = row;
    end += scores[row] == 0 ? 0 : 1;
  }
  rows.erase(end, rows.end());
}

// The highest score first; equal ones keep their order. Without a comparison: a frequent word is in
// most plugins.
template <typename Row>
void sort_by_score(std::vector<Row>& rows, const std::vector<std::uint8_t>& scores) {
  std::array<std::size_t, 257> places{};  // of those with a score: after all with a higher one
  for (const Row row : rows) ++places[255U - scores[row] + 1U];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<Row> sorted(rows.size());
  for (const Row row : rows) sorted[places[255U - scores[row]]++] = row;
  rows = std::move(sorted);
}

}  // namespace

db::PluginPage PluginIndex::page(const db::PluginFilter& filter, std::int64_t offset,
                                 std::int64_t limit, std::uint64_t epoch) {
  refresh(epoch, !filter.words.empty());
  const bool in_order = is_in_order(filter);
  const bool everything = in_order && filter.words.empty() && !filter.compiled_with &&
                          !filter.runs_with && !filter.plays_with && !filter.needs;
  std::vector<Row> found;
  if (!everything) found = in_order ? order_ : table_.matching(filter);
  const std::vector<std::uint8_t> scores = scores_of(filter.words);
  if (!scores.empty()) keep_scored(found, scores);
  if (filter.compiled_with) keep_compiled(found, *filter.compiled_with);
  if (filter.runs_with) keep_compiled(found, *filter.runs_with);
  if (filter.plays_with) keep_compiled(found, *filter.plays_with);
  if (filter.needs) keep_undemanding(found, *filter.needs);
  const std::vector<Row>& list = everything ? order_ : found;
  db::PluginPage page;
  page.total = static_cast<std::int64_t>(list.size());
  if (offset >= page.total) return page;
  const std::int64_t end = std::min(page.total, offset + limit);
  if (!in_order) {
    sort_slice(found, offset, end,
               [&](Row left, Row right) { return before(left, right, filter.order, scores); });
  } else if (filter.order == db::PluginOrder::relevance && !scores.empty()) {
    sort_by_score(found, scores);
  }
  for (std::int64_t place = offset; place < end; ++place) {
    page.plugins.push_back(table_.summary(list[static_cast<std::size_t>(place)]));
  }
  return page;
}

template <typename Condition, typename Read>
void PluginIndex::keep(std::vector<Row>& rows, Matching<Condition>& known,
                       const Condition& condition, Read read) {
  if (known.condition != condition || known.epoch != epoch_) {
    known = {};  // a failure below leaves nothing that looks current
    std::vector<bool> ids;
    for (const std::int64_t id : read(condition)) {
      const auto place = static_cast<std::size_t>(id);
      if (place >= ids.size()) ids.resize(place + 1);
      ids[place] = true;
    }
    known = {condition, epoch_, std::move(ids)};
  }
  std::erase_if(rows, [&](Row row) {
    const auto id = static_cast<std::size_t>(table_.id(row));
    return id >= known.ids.size() || !known.ids[id];
  });
}

std::vector<std::uint8_t> PluginIndex::scores_of(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto raise = [&](const std::string& word, std::vector<std::uint8_t>& points) {
    if (needs_ == nullptr) return;
    const std::vector<std::uint8_t> of_needs = needs_->points(word, epoch_);
    for (Row row = 0; row < documents_.size() && !of_needs.empty(); ++row) {
      const auto id = static_cast<std::size_t>(table_.id(row));
      if (id >= of_needs.size()) continue;
      std::uint8_t& best = points[documents_[row]];
      best = std::max(best, of_needs[id]);
    }
  };
  const std::vector<std::uint8_t> by_document = words_.scores(words, raise);
  std::vector<std::uint8_t> scores(documents_.size());
  for (Row row = 0; row < scores.size(); ++row) scores[row] = by_document[documents_[row]];
  return scores;
}

void PluginIndex::keep_compiled(std::vector<Row>& rows, const db::CompiledWith& toolchain) {
  keep(rows, compiled_[{toolchain.toolchain, toolchain.proof}], toolchain,
       [&](const db::CompiledWith& wanted) { return store_.compiled_ids(wanted); });
}

void PluginIndex::keep_undemanding(std::vector<Row>& rows, const db::NeedsAtMost& needs) {
  std::string lines;
  for (const db::CompiledWith& each : needs.toolchains) lines += each.toolchain + ' ';
  keep(rows, undemanding_[lines], needs,
       [&](const db::NeedsAtMost& most) { return store_.ids_that_need(most); });
}

std::optional<domain::PluginSummary> PluginIndex::summary(std::string_view slug,
                                                          std::uint64_t epoch) {
  refresh(epoch);
  const auto row = table_.find(slug);
  return row ? std::optional(table_.summary(*row)) : std::nullopt;
}

PluginIndex::Totals PluginIndex::totals(std::uint64_t epoch) {
  refresh(epoch);
  return {static_cast<std::int64_t>(table_.size()), total_downloads_};
}

std::vector<domain::CategoryCount> PluginIndex::categories(std::uint64_t epoch) {
  refresh(epoch);
  std::vector<domain::CategoryCount> counts = table_.categories();
  std::sort(counts.begin(), counts.end(),
            [](const auto& left, const auto& right) { return left.category < right.category; });
  return counts;
}

std::optional<domain::Plugin> PluginIndex::find(const domain::Slug& slug, std::uint64_t epoch) {
  refresh(epoch);
  const auto row = table_.find(slug);
  return row ? store_.find_rest(table_.id(*row), table_.summary(*row)) : std::nullopt;
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
  const auto row = table_.find(slug);
  return row ? std::optional(table_.downloads(*row)) : std::nullopt;
}

void PluginIndex::refresh(std::uint64_t epoch, bool with_words) {
  if (!loaded_ || epoch != epoch_) {
    const bool was_loaded = std::exchange(loaded_, false);  // as load() does
    epoch_ = epoch;
    if (!was_loaded || !follow_changes()) load(with_words);
    loaded_ = true;
  }
  if (with_words && !has_words_) load(true);
  if (is_due()) follow_counters();
}

std::size_t PluginIndex::bytes() const {
  return table_.bytes() + words_.bytes() + (needs_ == nullptr ? 0 : needs_->bytes()) +
         order_.size() * (sizeof(Row) + sizeof(WordIndex::Document));
}

void PluginIndex::load(bool with_words) {
  loaded_ = false;  // a failure leaves it incomplete
  has_words_ = with_words;
  ++moves_;
  if (needs_ != nullptr) needs_->note_changed_plugins(epoch_);
  const auto begin = [&] {
    table_.clear();
    words_.clear();
    documents_.clear();
    total_downloads_ = 0;
  };
  state_ = store_.each_indexed(begin, [&](const db::IndexedPlugin& plugin) {
    add_words(table_.insert(plugin), plugin);
    total_downloads_ += plugin.downloads;
  });
  words_.pack();
  order_.resize(table_.size());
  std::iota(order_.begin(), order_.end(), Row{0});
  // Stable, so that rows of the same number stay in slug order: most plugins were downloaded
  // rarely.
  std::stable_sort(order_.begin(), order_.end(), [&](Row left, Row right) {
    return table_.downloads(left) > table_.downloads(right);
  });
  counted_ = clock_.now();
  loaded_ = true;
  malloc_trim(0);  // the rows on their way here took more than stays
}

void PluginIndex::add_words(Row row, const db::IndexedPlugin& plugin) {
  if (!has_words_) return;
  using Place = WordIndex::Place;
  const std::size_t name = std::min(plugin.search_text.find('\x1f'), plugin.search_text.size());
  words_.put(Place::in_name, plugin.search_text.substr(0, name));
  words_.put(Place::in_tags, plugin.search_text.substr(name));
  for (const std::string_view text : {plugin.author, plugin.summary, plugin.console}) {
    words_.put(Place::elsewhere, text);
  }
  documents_.insert(documents_.begin() + row, words_.add());
}

bool PluginIndex::follow_changes() {
  if (words_.unpacked() > kMostUnpacked) return false;
  const auto state = store_.each_indexed_change(
      state_, kMostChanges, [&](std::string_view slug, const db::IndexedPlugin* plugin) {
        ++moves_;
        if (needs_ != nullptr) needs_->note_changed_plugins(epoch_);
        if (const auto row = table_.find(slug)) erase(*row);
        if (plugin != nullptr) insert(*plugin);
      });
  if (state) state_ = *state;
  return state.has_value();
}

void PluginIndex::insert(const db::IndexedPlugin& plugin) {
  const Row row = table_.insert(plugin);
  add_words(row, plugin);
  for (Row& each : order_) each += each >= row ? 1 : 0;
  order_.insert(place_of(row), row);
  total_downloads_ += plugin.downloads;
}

void PluginIndex::erase(Row row) {
  total_downloads_ -= table_.downloads(row);
  order_.erase(place_of(row));
  for (Row& each : order_) each -= each > row ? 1 : 0;
  table_.erase(row);
  if (has_words_) documents_.erase(documents_.begin() + row);
}

// In order_: where the row is, or belongs.
std::vector<PluginIndex::Row>::iterator PluginIndex::place_of(Row row) {
  return std::lower_bound(order_.begin(), order_.end(), row,
                          [&](Row left, Row right) { return before(left, right); });
}

// Rows are in slug order, so the row itself settles a tie.
bool PluginIndex::before(Row left, Row right) const {
  return std::pair(-table_.downloads(left), left) < std::pair(-table_.downloads(right), right);
}

bool PluginIndex::before(Row left, Row right, db::PluginOrder order,
                         const std::vector<std::uint8_t>& scores) const {
  const auto score = [&](Row row) { return scores.empty() ? 0 : scores[row]; };
  switch (order) {
    case db::PluginOrder::relevance:
      return score(left) != score(right) ? score(left) > score(right) : before(left, right);
    case db::PluginOrder::newest:
      return std::pair(table_.updated_at(right), left) < std::pair(table_.updated_at(left), right);
    case db::PluginOrder::name:
      return std::pair(table_.folded_name(left), left) <
             std::pair(table_.folded_name(right), right);
    default:
      return before(left, right);
  }
}

bool PluginIndex::is_due() const {
  const auto now = clock_.now();
  return now - counted_ >= kCounterAge || now < counted_;
}

void PluginIndex::follow_counters() {
  const std::int64_t newest = counters_.last_download();
  if (newest != state_.download) {
    for (const auto& [slug, downloads] : counters_.counters_since(state_.download - kLogOverlap)) {
      if (const auto row = table_.find(slug)) move(*row, downloads);
    }
    state_.download = newest;
  }
  counted_ = clock_.now();
}

// Counters only grow, so a row only moves towards the front.
void PluginIndex::move(Row row, std::int64_t downloads) {
  if (table_.downloads(row) == downloads) return;
  ++moves_;
  const auto old_place = place_of(row);
  total_downloads_ += downloads - table_.downloads(row);
  table_.set_downloads(row, downloads);
  const auto new_place = place_of(row);
  std::rotate(new_place, old_place, old_place + 1);
}

}  // namespace goldsmith::directory
