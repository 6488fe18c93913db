#include "app/directory/packed_index.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::directory {

namespace {

constexpr char kBeforeWord = '\n';
constexpr std::uint32_t kNone = ~0U;
constexpr std::size_t kInnerBytes = 3;  // the shortest that is looked for inside of words

constexpr std::uint32_t kPlaces = 4;  // a power of two

// By fit and place. A whole word tells more than a part of one where more is said: one among the
// tags counts more than a part of a name. The sum of kMostWords fits into a byte.
using Points = std::array<std::uint8_t, 3>;
constexpr std::array<Points, 3> kPoints{{{1, 2, 6}, {2, 6, 14}, {3, 12, 24}}};
static_assert(kPoints[2][2] * WordIndex::kMostWords <= 255);

void lift(std::uint8_t& best, const Points& points, std::uint64_t place) {
  best = std::max(best, points[place]);
}

// The plurals of a word in English, and what it may be the plural of. Some are no words: nothing
// has them.
std::vector<std::string> other_numbers(std::string_view word) {
  constexpr std::size_t kShortest = 3;  // of a singular
  std::vector<std::string> forms;
  const auto add = [&](std::size_t kept, std::string_view end) {
    if (kept + end.size() >= kShortest) {
      forms.push_back(std::string(word.substr(0, kept)).append(end));
    }
  };
  const auto ends_with_any = [&](std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](auto end) { return word.ends_with(end); });
  };
  const std::size_t size = word.size();
  if (size < kShortest) return forms;
  if (word.ends_with('s') && !word.ends_with("ss")) {
    add(size - 1, "");                                                            // guns, zombies
    if (ends_with_any({"ses", "xes", "zes", "ches", "shes"})) add(size - 2, "");  // classes
    if (word.ends_with("ies")) add(size - 3, "y");                                // entities
    if (word.ends_with("ves")) add(size - 3, "f"), add(size - 3, "fe");           // knives
    return forms;
  }
  add(size, "s");
  if (ends_with_any({"s", "x", "z", "ch", "sh"})) add(size, "es");
  if (word.ends_with('y')) add(size - 1, "ies");
  if (word.ends_with('f')) add(size - 1, "ves");
  if (word.ends_with("fe")) add(size - 2, "ves");
  return forms;
}

// Adds the score of other words, except where one of both is 0: it stays 0.
void add_to_each(std::vector<std::uint8_t>& scores, const std::vector<std::uint8_t>& others) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const unsigned lacks_none = unsigned{scores[i] != 0} & unsigned{others[i] != 0};
    scores[i] = static_cast<std::uint8_t>((scores[i] + others[i]) * lacks_none);
  }
}

// Calls `found` with each place of `needle` in `text`, from the front. Compilers turn the inner
// loop into a few instructions for many bytes, so that short needles, which memmem looks for byte
// by byte, are found sooner. Precondition: `needle` has two bytes or more.
template <typename Found>
void find_each(std::string_view text, std::string_view needle, Found found) {
  constexpr std::size_t kBlock = 256;
  std::size_t at = 0;
  for (; at + kBlock + needle.size() <= text.size(); at += kBlock) {
    const char* const first = text.data() + at;
    const char* const last = first + needle.size() - 1;
    std::array<char, kBlock> may_match;
    for (std::size_t i = 0; i < kBlock; ++i) {
      may_match[i] = static_cast<char>(int{first[i] == needle[0]} & int{first[i + 1] == needle[1]} &
                                       int{last[i] == needle.back()});
    }
    const char* const end = may_match.data() + kBlock;
    for (const char* next = may_match.data(); next != end; ++next) {
      next = static_cast<const char*>(std::memchr(next, 1, static_cast<std::size_t>(end - next)));
      if (next == nullptr) break;
      const auto place = at + static_cast<std::size_t>(next - may_match.data());
      if (needle.size() <= 3 || text.compare(place, needle.size(), needle) == 0) found(place);
    }
  }
  while ((at = text.find(needle, at)) != std::string_view::npos) found(at++);
}

}  // namespace

void WordIndex::clear() { *this = {}; }

void WordIndex::put(Place place, std::string_view text) {
  const std::string words = base::folded_words(text);
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view next = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(next.size() + 1, rest.size()));
    fresh_.push_back(word(next) * kPlaces + static_cast<std::uint32_t>(place));
  }
}

WordIndex::Document WordIndex::add() {
  const std::size_t first = fresh_ends_.empty() ? 0 : fresh_ends_.back();
  const auto begin = fresh_.begin() + static_cast<std::ptrdiff_t>(first);
  // Each word once, at its best place, which is the greatest.
  std::sort(begin, fresh_.end(), std::greater());
  const auto same_word = [](std::uint32_t left, std::uint32_t right) {
    return left / kPlaces == right / kPlaces;
  };
  fresh_.erase(std::unique(begin, fresh_.end(), same_word), fresh_.end());
  fresh_ends_.push_back(static_cast<std::uint32_t>(fresh_.size()));
  return static_cast<Document>(packed_documents_ + fresh_ends_.size() - 1);
}

void WordIndex::pack() {
  std::vector<std::uint32_t> places(ends_.size() + 1);  // of each word in packed_
  for (const std::uint32_t entry : fresh_) ++places[entry / kPlaces + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  packed_.resize(fresh_.size());
  std::size_t entry = 0;
  for (Document document = 0; document < fresh_ends_.size(); ++document) {
    for (; entry < fresh_ends_[document]; ++entry) {
      const Word word = fresh_[entry] / kPlaces;
      packed_[places[word]++] = document * kPlaces + fresh_[entry] % kPlaces;
    }
  }
  places.pop_back();  // each of the others has become an end
  packed_ends_ = std::move(places);
  packed_documents_ = fresh_ends_.size();
  // `= {}` would keep their memory, which is as much as that of packed_.
  fresh_ = std::vector<std::uint32_t>();
  fresh_ends_ = std::vector<std::uint32_t>();
  vocabulary_.shrink_to_fit();
  ends_.shrink_to_fit();
}

struct WordIndex::Match {
  Word word;
  Fit fit;
};

std::vector<std::uint8_t> WordIndex::scores(const std::vector<std::string>& words,
                                            const Raise& raise) const {
  std::vector<std::uint8_t> scores;
  for (const std::string& each : words) {
    std::vector<std::uint8_t> best(packed_documents_ + fresh_ends_.size(), 0);
    const std::vector<Match> found = matching(each);
    score(found, best);
    score_fresh(found, best);
    if (raise) raise(each, best);
    if (!scores.empty()) add_to_each(best, scores);
    scores = std::move(best);
  }
  return scores;
}

void WordIndex::score(const std::vector<Match>& matches, std::vector<std::uint8_t>& best) const {
  for (const Match& match : matches) {
    if (match.word >= packed_ends_.size()) return;
    const Points& points = kPoints[static_cast<std::size_t>(match.fit)];
    std::size_t each = match.word == 0 ? 0 : packed_ends_[match.word - 1];
    for (; each < packed_ends_[match.word]; ++each) {
      lift(best[packed_[each] / kPlaces], points, packed_[each] % kPlaces);
    }
  }
}

void WordIndex::score_fresh(const std::vector<Match>& matches,
                            std::vector<std::uint8_t>& best) const {
  std::size_t document = 0;
  for (std::size_t entry = 0; entry < fresh_.size(); ++entry) {
    while (entry == fresh_ends_[document]) ++document;
    const Word word = fresh_[entry] / kPlaces;
    const auto match =
        std::lower_bound(matches.begin(), matches.end(), word,
                         [](const Match& known, Word wanted) { return known.word < wanted; });
    if (match == matches.end() || match->word != word) continue;
    lift(best[packed_documents_ + document], kPoints[static_cast<std::size_t>(match->fit)],
         fresh_[entry] % kPlaces);
  }
}

// Ascending, each word once.
std::vector<WordIndex::Match> WordIndex::matching(std::string_view needle) const {
  std::string wanted(needle);
  const bool is_short = needle.size() < kInnerBytes;
  if (is_short) wanted.insert(0, 1, kBeforeWord);
  std::vector<Match> matches;
  auto end = ends_.begin();
  std::size_t looked_at = 0;  // once it has matched, nothing more of a word
  find_each(vocabulary_, wanted, [&](std::size_t place) {
    if (place < looked_at) return;
    end = std::upper_bound(end, ends_.end(), place);
    looked_at = *end;
    const bool is_begin = is_short || vocabulary_[place - 1] == kBeforeWord;
    const bool is_end = place + wanted.size() == looked_at;
    matches.push_back({static_cast<Word>(end - ends_.begin()), !is_begin ? Fit::part
                                                               : is_end  ? Fit::whole
                                                                         : Fit::prefix});
  });
  for (const std::string& form : other_numbers(needle)) {
    const std::optional<Word> word = find(form);
    if (!word) continue;
    const auto place =
        std::lower_bound(matches.begin(), matches.end(), *word,
                         [](const Match& match, Word other) { return match.word < other; });
    if (place != matches.end() && place->word == *word) {
      place->fit = Fit::whole;
    } else {
      matches.insert(place, {*word, Fit::whole});
    }
  }
  return matches;
}

std::optional<WordIndex::Word> WordIndex::find(std::string_view text) const {
  const Word word = slots_.empty() ? kNone : slots_[slot_of(text)];
  return word == kNone ? std::nullopt : std::optional(word);
}

std::string_view WordIndex::text_of(Word word) const {
  const std::uint32_t begin = (word == 0 ? 0 : ends_[word - 1]) + 1;
  return std::string_view(vocabulary_).substr(begin, ends_[word] - begin);
}

// Where the word is, or belongs.
std::size_t WordIndex::slot_of(std::string_view text) const {
  std::size_t slot = std::hash<std::string_view>()(text) & (slots_.size() - 1);
  while (slots_[slot] != kNone && text_of(slots_[slot]) != text) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

WordIndex::Word WordIndex::word(std::string_view text) {
  if (ends_.size() * 4 >= slots_.size() * 3) grow_slots();
  Word& slot = slots_[slot_of(text)];
  if (slot != kNone) return slot;
  slot = static_cast<Word>(ends_.size());
  vocabulary_.append(1, kBeforeWord).append(text);
  ends_.push_back(static_cast<std::uint32_t>(vocabulary_.size()));
  return slot;
}

void WordIndex::grow_slots() {
  constexpr std::size_t kFirst = 1024;  // a power of two, as all that follow
  slots_.assign(std::max(kFirst, slots_.size() * 2), kNone);
  for (Word each = 0; each < ends_.size(); ++each) slots_[slot_of(text_of(each))] = each;
}

std::size_t WordIndex::bytes() const {
  return vocabulary_.size() +
         sizeof(std::uint32_t) * (ends_.size() + slots_.size() + packed_.size() +
                                  packed_ends_.size() + fresh_.size() + fresh_ends_.size());
}

void PluginTable::clear() {
  entries_.clear();
  texts_.clear();
  search_texts_.clear();
  categories_.clear();
}

PluginTable::Row PluginTable::insert(const db::IndexedPlugin& plugin) {
  const std::array<std::string_view, text_count> texts{plugin.slug,           plugin.name,
                                                       plugin.author,         plugin.license,
                                                       plugin.latest_version, plugin.summary};
  // When all are read they come in order, so that each belongs at the end.
  const bool is_last = entries_.empty() || text(entries_.back(), slug) < plugin.slug;
  const Row row = is_last ? static_cast<Row>(entries_.size()) : lower_bound(plugin.slug);
  Entry entry;
  std::string joined;
  for (std::size_t which = 0; which < text_count; ++which) {
    joined += texts[which];
    entry.ends[which] = static_cast<std::uint16_t>(joined.size());
  }
  // It was folded when it was imported, perhaps by a version that told ı and i apart.
  const std::string search_text = base::fold_case(plugin.search_text);
  entry.texts_end = static_cast<std::uint32_t>(texts_begin(row));
  entry.search_text_end = static_cast<std::uint32_t>(search_text_begin(row));
  entry.id = static_cast<std::uint32_t>(plugin.id);
  const std::size_t category = find_category(plugin.category);
  if (category == categories_.size()) {
    categories_.push_back({domain::Slug::parse(plugin.category).value(), 0});
  }
  ++categories_[category].count;
  entry.category = static_cast<std::uint16_t>(category);
  entry.rating = plugin.rating;
  entry.downloads = plugin.downloads;
  entry.updated_at = plugin.updated_at;
  texts_.insert(entry.texts_end, joined);
  search_texts_.insert(entry.search_text_end, search_text);
  entries_.insert(entries_.begin() + row, entry);
  shift(row, std::ssize(joined), std::ssize(search_text));
  return row;
}

void PluginTable::erase(Row row) {
  const Entry& entry = entries_[row];
  --categories_[entry.category].count;
  const std::size_t texts = entry.texts_end - texts_begin(row);
  const std::size_t search_text = entry.search_text_end - search_text_begin(row);
  texts_.erase(texts_begin(row), texts);
  search_texts_.erase(search_text_begin(row), search_text);
  entries_.erase(entries_.begin() + row);
  shift(row, -static_cast<std::ptrdiff_t>(texts), -static_cast<std::ptrdiff_t>(search_text));
}

void PluginTable::shift(Row first, std::ptrdiff_t texts, std::ptrdiff_t search_texts) {
  for (auto entry = entries_.begin() + first; entry != entries_.end(); ++entry) {
    entry->texts_end += static_cast<std::uint32_t>(texts);
    entry->search_text_end += static_cast<std::uint32_t>(search_texts);
  }
}

std::string_view PluginTable::text(const Entry& entry, Text which) const {
  const std::size_t begin = which == 0 ? 0 : entry.ends[which - 1];
  const std::size_t texts = entry.texts_end - entry.ends.back();
  return std::string_view(texts_).substr(texts + begin, entry.ends[which] - begin);
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
  return entries_.size() * sizeof(Entry) + texts_.size() + search_texts_.size();
}

// A directory has a few dozen categories.
std::size_t PluginTable::find_category(std::string_view category) const {
  const auto found = std::find_if(categories_.begin(), categories_.end(),
                                  [&](const auto& known) { return known.category == category; });
  return static_cast<std::size_t>(found - categories_.begin());
}

PluginTable::Row PluginTable::lower_bound(std::string_view wanted) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), wanted,
      [&](const Entry& each, std::string_view than) { return text(each, slug) < than; });
  return static_cast<Row>(found - entries_.begin());
}

std::optional<PluginTable::Row> PluginTable::find(std::string_view wanted) const {
  const Row row = lower_bound(wanted);
  if (row == entries_.size() || text(entries_[row], slug) != wanted) return std::nullopt;
  return row;
}

domain::PluginSummary PluginTable::summary(Row row) const {
  const Entry& entry = entries_[row];
  return {domain::Slug::parse(text(entry, slug)).value(),
          std::string(text(entry, name)),
          categories_[entry.category].category,
          std::string(text(entry, author)),
          std::string(text(entry, license)),
          domain::Version::parse(text(entry, latest_version)),  // "" if there is none
          entry.rating,
          entry.downloads,
          entry.updated_at,
          std::string(text(entry, summary_line))};
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
    const std::size_t wanted = find_category(*filter.category);
    std::erase_if(rows, [&](Row row) { return entries_[row].category != wanted; });
  }
  if (!filter.author.empty()) {
    std::erase_if(rows, [&](Row row) { return text(entries_[row], author) != filter.author; });
  }
  return rows;
}

// One pass over all texts. A needle holds no U+001F, so no match spans two of them.
std::vector<PluginTable::Row> PluginTable::containing(std::string_view needle) const {
  std::vector<Row> rows;
  const std::string_view texts = search_texts_;
  std::size_t position = 0;
  auto entry = entries_.begin();
  while (const void* match = memmem(texts.data() + position, texts.size() - position, needle.data(),
                                    needle.size())) {
    position = static_cast<std::size_t>(static_cast<const char*>(match) - texts.data());
    entry = std::upper_bound(
        entry, entries_.end(), position,
        [](std::size_t place, const Entry& each) { return place < each.search_text_end; });
    rows.push_back(static_cast<Row>(entry - entries_.begin()));
    position = entry->search_text_end;
  }
  return rows;
}

}  // namespace goldsmith::directory
