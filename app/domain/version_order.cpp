#include "app/domain/version_order.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "app/domain/names.hpp"

namespace goldsmith::domain {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word_byte(char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

template <typename Is>
std::string_view take_while(std::string_view& text, const Is& is) {
  const auto end = std::find_if_not(text.begin(), text.end(), is);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

std::string_view without_zeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::strong_ordering compare_numbers(std::string_view left, std::string_view right) {
  left = without_zeros(left);
  right = without_zeros(right);
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

std::strong_ordering compare_words(std::string_view left, std::string_view right) {
  return std::lexicographical_compare_three_way(
      left.begin(), left.end(), right.begin(), right.end(), [](char one, char other) {
        return static_cast<unsigned char>(lower(one)) <=> static_cast<unsigned char>(lower(other));
      });
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return compare_words(each, word) == 0; });
}

// What authors call a version that is not final yet, by how far it is.
int stage_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int>, 30> kStages{{
      {"dev", 1},         {"devel", 1},       {"develop", 1},  {"developer", 1},
      {"development", 1}, {"nightly", 1},     {"snapshot", 1}, {"unstable", 1},
      {"wip", 1},         {"canary", 1},      {"manual", 1},   {"local", 1},
      {"dirty", 1},       {"alfa", 2},        {"alpha", 2},    {"experimental", 2},
      {"beta", 3},        {"betatest", 3},    {"test", 3},     {"tester", 3},
      {"testing", 3},     {"testversion", 3}, {"tst", 3},      {"untested", 3},
      {"pre", 4},         {"prerelease", 4},  {"preview", 4},  {"rc", 5},
      {"cr", 5},          {"candidate", 5},
  }};
  const auto found = std::find_if(kStages.begin(), kStages.end(), [&](const auto& each) {
    return compare_words(each.first, word) == 0;
  });
  return found == kStages.end() ? 0 : found->second;
}

// A letter alone is one in front of a number alone: "1.2b3" is a beta, "1.2b" a patch.
int stage_of(std::string_view word, bool is_numbered) {
  if (word.size() == 1 && is_numbered) {
    const char letter = lower(word.front());
    return letter == 'a' ? 2 : letter == 'b' ? 3 : 0;
  }
  return stage_of(word);
}

struct Part {
  enum class Kind { stage, none, number, word };  // ascending
  Kind kind = Kind::none;
  int stage = 0;
  std::string_view text = {};
};

std::weak_ordering compare(const Part& left, const Part& right) {
  if (left.kind != right.kind) return left.kind <=> right.kind;
  switch (left.kind) {
    case Part::Kind::stage:
      return left.stage <=> right.stage;
    case Part::Kind::number:
      return compare_numbers(left.text, right.text);
    case Part::Kind::word:
      return compare_words(left.text, right.text);
    case Part::Kind::none:
      break;
  }
  return std::weak_ordering::equivalent;
}

// Reads a version from left to right: the numbers that it begins with, then what follows them.
class Reading {
 public:
  explicit Reading(std::string_view version) : rest_(version) { skip_introduction(); }

  // Ascending: what is empty, what begins with a number, and anything else. Precondition: nothing
  // was read.
  int form() const { return has_number_ ? 1 : rest_.empty() ? 0 : 2; }

  // The next of the numbers; "" behind the last one.
  std::string_view next_number() {
    if (!has_number_) return {};
    const std::string_view number = take_while(rest_, is_digit);
    has_number_ = rest_.size() > 1 && std::string_view("._,").find(rest_[0]) != rest_.npos &&
                  is_digit(rest_[1]);
    if (has_number_) rest_.remove_prefix(1);
    return number;
  }

  // Precondition: the numbers were read.
  Part next_part() {
    if (const int stage = std::exchange(stage_in_front_, 0)) return {Part::Kind::stage, stage};
    while (true) {
      const std::size_t before = rest_.size();
      take_while(rest_, [](char c) { return !is_digit(c) && !is_word_byte(c); });
      const bool is_apart = rest_.size() < before;
      if (rest_.empty()) return {};
      if (is_digit(rest_[0])) return {Part::Kind::number, 0, take_while(rest_, is_digit)};
      const std::string_view word = take_while(rest_, is_word_byte);
      if (is_one_of(word, {"release", "final", "stable"})) continue;
      const int stage = stage_of(word, is_numbered(is_apart));
      return {stage > 0 ? Part::Kind::stage : Part::Kind::word, stage, word};
    }
  }

 private:
  // "v1.2", "version 1.2" and "Beta 1.2" have their number behind a word.
  void skip_introduction() {
    std::string_view rest = rest_;
    const auto is_between = [](char c) { return !is_digit(c) && !is_word_byte(c); };
    take_while(rest, is_between);
    const std::string_view word = take_while(rest, is_word_byte);
    take_while(rest, is_between);
    has_number_ = !rest.empty() && is_digit(rest[0]);
    if (!has_number_) return;
    const bool is_version = is_one_of(word, {"", "v", "ver", "version", "release"});
    stage_in_front_ = is_version ? 0 : stage_of(word);
    has_number_ = is_version || stage_in_front_ > 0;
    if (has_number_) rest_ = rest;
  }

  // Whether a number follows a word at once, as in "b3"; of one that stands apart, also in "-b.3".
  bool is_numbered(bool is_apart) const {
    const std::size_t at = is_apart && rest_.starts_with('.') ? 1 : 0;
    return rest_.size() > at && is_digit(rest_[at]);
  }

  std::string_view rest_;
  bool has_number_ = false;
  int stage_in_front_ = 0;
};

// Byte by byte, but runs of digits as numbers.
std::strong_ordering compare_texts(std::string_view left, std::string_view right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto order = compare_numbers(take_while(a, is_digit), take_while(b, is_digit));
      if (order != 0) return order;
      continue;
    }
    if (a.front() != b.front()) {
      return static_cast<unsigned char>(a.front()) <=> static_cast<unsigned char>(b.front());
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) {
    return a.empty() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return left <=> right;
}

// The numbers of a version that say how far it is from another one, as far as they matter.
struct Numbers {
  std::array<std::string_view, 2> digits;

  explicit Numbers(std::string_view version) {
    Reading reading(version);
    for (std::string_view& each : digits) each = reading.next_number();
  }
  bool empty() const { return digits[0].empty(); }
  // Far above all others if it has more digits than anything counts.
  std::uint64_t value(std::size_t place) const {
    constexpr std::size_t kMost = 18;
    const std::string_view number = without_zeros(digits.at(place));
    if (number.size() > kMost) return UINT64_MAX;
    std::uint64_t value = 0;
    for (const char digit : number) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
    return value;
  }
};

std::optional<std::chrono::year_month> month_of(const Numbers& numbers) {
  const std::uint64_t month = numbers.value(1);
  if (numbers.digits[0].size() != 4 || numbers.digits[1].size() > 2) return std::nullopt;
  const std::chrono::year_month found{std::chrono::year(static_cast<int>(numbers.value(0))),
                                      std::chrono::month(static_cast<unsigned>(month))};
  const bool is_year = numbers.value(0) >= 1990 && numbers.value(0) < 2100;
  return is_year && found.ok() ? std::optional(found) : std::nullopt;
}

bool is_day(std::string_view digits, std::uint64_t value) {
  if (digits.size() != 8 || value < 19'900'000 || value >= 21'000'000) return false;
  const std::chrono::year_month_day day{
      std::chrono::year(static_cast<int>(value / 10'000)),
      std::chrono::month(static_cast<unsigned>(value / 100 % 100)),
      std::chrono::day(static_cast<unsigned>(value % 100))};
  return day.ok();
}

std::chrono::year_month month_of(Timestamp time) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(time)};
  return day.year() / day.month();
}

}  // namespace

// What is missing counts as 0 among the numbers, and is between a stage and all else behind them.
std::weak_ordering version_rank(std::string_view left, std::string_view right) {
  Reading a(left);
  Reading b(right);
  if (const auto order = a.form() <=> b.form(); order != 0) return order;
  while (true) {
    const std::string_view one = a.next_number();
    const std::string_view other = b.next_number();
    if (const auto order = compare_numbers(one, other); order != 0) return order;
    if (one.empty() && other.empty()) break;
  }
  while (true) {
    const Part one = a.next_part();
    const Part other = b.next_part();
    if (const auto order = compare(one, other); order != 0) return order;
    if (one.kind == Part::Kind::none) return std::weak_ordering::equivalent;
  }
}

std::strong_ordering version_order(std::string_view left, std::string_view right) {
  const std::weak_ordering rank = version_rank(left, right);
  if (rank < 0) return std::strong_ordering::less;
  if (rank > 0) return std::strong_ordering::greater;
  return compare_texts(left, right);
}

bool has_number(std::string_view version) { return !Reading(version).next_number().empty(); }

bool is_prerelease(std::string_view version) {
  Reading reading(version);
  while (!reading.next_number().empty()) {
  }
  while (true) {
    const Part part = reading.next_part();
    if (part.kind == Part::Kind::stage) return true;
    if (part.kind == Part::Kind::none) return false;
  }
}

bool is_same_line(std::string_view one, std::string_view other) {
  const Numbers left(one);
  const Numbers right(other);
  return std::equal(left.digits.begin(), left.digits.end(), right.digits.begin(),
                    [](auto a, auto b) { return compare_numbers(a, b) == 0; });
}

VersionStep step_between(const PublicVersion& from, std::string_view to, Timestamp now) {
  if (version_rank(to, from.version) < 0) return VersionStep::lower;
  const bool is_expected =
      from.takes_prereleases || (is_prerelease(from.version) && is_same_line(from.version, to));
  if (is_prerelease(to) && !is_expected) return VersionStep::prerelease;
  const Numbers before(from.version);
  const Numbers after(to);
  if (before.empty() || after.empty()) return VersionStep::ordinary;
  for (std::size_t i = 0; i < after.digits.size(); ++i) {
    if (is_day(after.digits.at(i), after.value(i)) &&
        !is_day(before.digits.at(i), before.value(i))) {
      return VersionStep::date;
    }
  }
  if (after.value(0) / 10 < std::max<std::uint64_t>(before.value(0), 1)) {
    return VersionStep::ordinary;
  }
  const auto month = month_of(after);
  if (!month) return VersionStep::leap;
  const bool is_then = *month <= month_of(now) && (!from.time || *month >= month_of(*from.time));
  return is_then ? VersionStep::ordinary : VersionStep::date;
}

std::string told(VersionStep step, std::string_view public_one) {
  const std::string beside(public_one);
  switch (step) {
    case VersionStep::ordinary:
      break;
    case VersionStep::lower:
      return "its number is lower than that of " + beside;
    case VersionStep::prerelease:
      return "it is a prerelease, and not of the line of " + beside;
    case VersionStep::date:
      return "its number is a date, unlike that of " + beside;
    case VersionStep::leap:
      return "its number is at least ten times that of " + beside;
  }
  return "";
}

}  // namespace goldsmith::domain
