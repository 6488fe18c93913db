#include "app/domain/timestamp.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace goldsmith::domain {
namespace {

namespace chrono = std::chrono;

// The `count` digits at `at`; -1 if there are not as many.
int number_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (const char byte : text.substr(at, count)) {
    if (byte < '0' || byte > '9') return -1;
    value = value * 10 + (byte - '0');
  }
  return value;
}

bool is_below(int number, int limit) { return number >= 0 && number < limit; }

// `YYYY-MM-DD` at the start of the text.
std::optional<chrono::sys_seconds> date_of(std::string_view text) {
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (year < 0 || month < 0 || day < 0 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const chrono::year_month_day date{chrono::year{year}, chrono::month{static_cast<unsigned>(month)},
                                    chrono::day{static_cast<unsigned>(day)}};
  return date.ok() ? std::optional<chrono::sys_seconds>(chrono::sys_days{date}) : std::nullopt;
}

// `THH:MM:SS` behind it, the T or a space.
std::optional<chrono::seconds> time_of(std::string_view text) {
  const int hour = number_at(text, 1, 2);
  const int minute = number_at(text, 4, 2);
  const int second = number_at(text, 7, 2);
  if (!is_below(hour, 24) || !is_below(minute, 60) || !is_below(second, 60)) return std::nullopt;
  if ((text[0] != 'T' && text[0] != ' ') || text[3] != ':' || text[6] != ':') return std::nullopt;
  return chrono::hours{hour} + chrono::minutes{minute} + chrono::seconds{second};
}

std::string_view without_fraction(std::string_view text) {
  if (!text.starts_with('.')) return text;
  const std::size_t end = text.find_first_not_of("0123456789", 1);
  return end == 1 || text.size() == 1 ? text : text.substr(std::min(end, text.size()));
}

// `Z`, `+HH:MM`, `+HHMM`, `+HH`, the same with `-`, or nothing: UTC.
std::optional<chrono::seconds> offset_of(std::string_view text) {
  if (text.empty() || text == "Z") return chrono::seconds{0};
  const bool has_colon = text.size() == 6 && text[3] == ':';
  const bool has_minutes = has_colon || text.size() == 5;
  if ((text[0] != '+' && text[0] != '-') || (!has_minutes && text.size() != 3)) return std::nullopt;
  const int hours = number_at(text, 1, 2);
  const int minutes = has_minutes ? number_at(text, text.size() - 2, 2) : 0;
  if (!is_below(hours, 24) || !is_below(minutes, 60)) return std::nullopt;
  const chrono::seconds offset = chrono::hours{hours} + chrono::minutes{minutes};
  return text[0] == '-' ? -offset : offset;
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
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kTime = 9;
  const auto date = date_of(text);
  if (!date) return std::nullopt;
  if (text.size() == kDate) return within_four_digit_years(*date);
  const auto time = time_of(text.substr(kDate));
  if (!time) return std::nullopt;
  const auto offset = offset_of(without_fraction(text.substr(kDate + kTime)));
  if (!offset) return std::nullopt;
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
