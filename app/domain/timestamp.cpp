#include "app/domain/timestamp.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace goldsmith::domain {
namespace {

namespace chrono = std::chrono;

// Takes what it recognises off the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `count` digits.
  std::optional<int> number(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char byte : rest_.substr(0, count)) {
      if (byte < '0' || byte > '9') return std::nullopt;
      value = value * 10 + (byte - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  // As `number`, below `limit`.
  std::optional<int> number_below(std::size_t count, int limit) {
    const auto value = number(count);
    return value && *value < limit ? value : std::nullopt;
  }

  bool skip_digits() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') rest_.remove_prefix(1);
    return rest_.size() != before;
  }

 private:
  std::string_view rest_;
};

std::optional<chrono::sys_seconds> read_date(Reader& reader) {
  const auto year = reader.number(4);
  if (!year || !reader.take('-')) return std::nullopt;
  const auto month = reader.number(2);
  if (!month || !reader.take('-')) return std::nullopt;
  const auto day = reader.number(2);
  if (!day) return std::nullopt;
  const chrono::year_month_day date{chrono::year{*year},
                                    chrono::month{static_cast<unsigned>(*month)},
                                    chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return chrono::sys_days{date};
}

// `HH:MM:SS`; a fraction of a second is dropped.
std::optional<chrono::seconds> read_time(Reader& reader) {
  const auto hour = reader.number_below(2, 24);
  if (!hour || !reader.take(':')) return std::nullopt;
  const auto minute = reader.number_below(2, 60);
  if (!minute || !reader.take(':')) return std::nullopt;
  const auto second = reader.number_below(2, 60);
  if (!second) return std::nullopt;
  if (reader.take('.') && !reader.skip_digits()) return std::nullopt;
  return chrono::hours{*hour} + chrono::minutes{*minute} + chrono::seconds{*second};
}

// `Z`, `+HH:MM`, `+HHMM`, `+HH`, the same with `-`, or nothing: UTC.
std::optional<chrono::seconds> read_offset(Reader& reader) {
  if (reader.at_end() || reader.take('Z')) return chrono::seconds{0};
  const bool negative = reader.take('-');
  if (!negative && !reader.take('+')) return std::nullopt;
  const auto hours = reader.number_below(2, 24);
  if (!hours) return std::nullopt;
  chrono::seconds offset = chrono::hours{*hours};
  if (!reader.at_end()) {
    reader.take(':');
    const auto minutes = reader.number_below(2, 60);
    if (!minutes) return std::nullopt;
    offset += chrono::minutes{*minutes};
  }
  return negative ? -offset : offset;
}

std::optional<Timestamp> within_four_digit_years(Timestamp time) {
  const int year =
      static_cast<int>(chrono::year_month_day{chrono::floor<chrono::days>(time)}.year());
  return year >= 1 && year <= 9999 ? std::optional(time) : std::nullopt;
}

// With zeros in front. A list shows many times: snprintf would show in its cost.
void append_padded(std::string& text, std::size_t width, std::int64_t number) {
  const std::string digits = std::to_string(number);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  Reader reader(text);
  const auto date = read_date(reader);
  if (!date) return std::nullopt;
  if (reader.at_end()) return within_four_digit_years(*date);
  if (!reader.take('T') && !reader.take(' ')) return std::nullopt;
  const auto time = read_time(reader);
  if (!time) return std::nullopt;
  const auto offset = read_offset(reader);
  if (!offset || !reader.at_end()) return std::nullopt;
  return within_four_digit_years(*date + *time - *offset);
}

std::string format_timestamp(Timestamp time) {
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date{day};
  const chrono::hh_mm_ss clock{time - day};
  std::string text;
  append_padded(text, 4, static_cast<int>(date.year()));
  append_padded(text += '-', 2, static_cast<unsigned>(date.month()));
  append_padded(text += '-', 2, static_cast<unsigned>(date.day()));
  append_padded(text += ' ', 2, clock.hours().count());
  append_padded(text += ':', 2, clock.minutes().count());
  append_padded(text += ':', 2, clock.seconds().count());
  return text;
}

std::string format_timestamp(const std::optional<Timestamp>& time) {
  return time ? format_timestamp(*time) : "";
}

}  // namespace goldsmith::domain
