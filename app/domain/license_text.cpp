#include "app/domain/license_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/gnu_license.hpp"
#include "app/domain/license.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {
namespace {

bool is_word_letter(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }

// Lower case, and one space for what separates words: comments wrap and decorate their lines.
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : base::to_lower_ascii(text)) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (is_word) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

// std::nullopt = no tag; "" = one that is no license of SPDX.
std::optional<std::string> tagged(std::string_view text) {
  constexpr std::string_view kTag = "SPDX-License-Identifier:";
  const std::size_t tag = text.find(kTag);
  if (tag == text.npos) return std::nullopt;
  std::string_view rest = text.substr(tag + kTag.size());
  rest = rest.substr(0, rest.find_first_of("\r\n*"));
  std::string id(base::trim_ascii(rest));
  try {
    parse_license(id);
    return id;
  } catch (const InvalidLicense&) {
    return "";
  }
}

// What a license says of itself, and nothing else does: the first that is found counts.
std::string by_phrase(std::string_view words) {
  constexpr std::array<std::pair<std::string_view, const char*>, 13> kPhrases{{
      {"permission is hereby granted free of charge to any person obtaining a copy", "MIT"},
      {"licensed under the apache license version 2.0", "Apache-2.0"},
      {"apache license version 2.0 january 2004", "Apache-2.0"},
      {"mozilla public license version 2.0", "MPL-2.0"},
      {"mozilla public license v. 2.0", "MPL-2.0"},
      {"this is free and unencumbered software released into the public domain", "Unlicense"},
      {"cc0 1.0 universal", "CC0-1.0"},
      {"do what the fuck you want to public license", "WTFPL"},
      {"permission to use copy modify and or distribute this software for any purpose with or "
       "without fee is hereby granted provided that",
       "ISC"},
      {"permission to use copy modify and or distribute this software for any purpose with or "
       "without fee is hereby granted. the software is provided",
       "0BSD"},
      {"boost software license - version 1.0", "BSL-1.0"},
      {"attribution-noncommercial-sharealike 4.0 international", "CC-BY-NC-SA-4.0"},
      {"attribution-sharealike 4.0 international", "CC-BY-SA-4.0"},
  }};
  for (const auto& [phrase, id] : kPhrases) {
    if (words.find(phrase) != words.npos) return id;
  }
  if (words.find("redistribution and use in source and binary forms") == words.npos) return "";
  return words.find("neither the name") == words.npos ? "BSD-2-Clause" : "BSD-3-Clause";
}

// What the texts of licenses are compared by: the words that count, two by two.

constexpr std::string_view kField = "\x01";  // a name that a license is filled in with

// Without what draws comments, lists and boxes around it.
std::string_view plain_line(std::string_view line) {
  constexpr std::string_view kDecoration = " \t\r*#/;>|=_-~\"'`\f";
  const std::size_t from = line.find_first_not_of(kDecoration);
  if (from == line.npos) return "";
  return line.substr(from, line.find_last_not_of(kDecoration) - from + 1);
}

// What follows the signs of a copyright notice that begins a line; std::nullopt for another line.
std::optional<std::string_view> after_notice(std::string_view line) {
  constexpr std::array<std::string_view, 4> kSigns{"copyright", "(c)", "\xC2\xA9", "&copy;"};
  line = plain_line(line);
  std::size_t signs = 0;
  for (bool is_sign = true; is_sign;) {
    is_sign = false;
    for (const std::string_view sign : kSigns) {
      if (!base::equals_ignoring_case(line.substr(0, sign.size()), sign)) continue;
      line = base::trim_ascii(line.substr(sign.size()));
      while (line.starts_with(':')) line = base::trim_ascii(line.substr(1));
      is_sign = true;
      ++signs;
    }
  }
  const bool is_year = !line.empty() && (is_digit(line.front()) || line.front() == '<' ||
                                         line.front() == '[' || line.front() == '{');
  return signs >= 2 || (signs == 1 && is_year) ? std::optional(line) : std::nullopt;
}

std::vector<std::string> split_words(std::string_view lower) {
  std::vector<std::string> words;
  bool is_open = false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (lower.substr(i).starts_with("{{}}")) {
      words.emplace_back(kField);
      is_open = false;
      i += 3;
    } else if (is_word_letter(lower[i])) {
      if (!is_open) words.emplace_back();
      words.back() += lower[i];
      is_open = true;
    } else {
      is_open = false;
    }
  }
  return words;
}

// Words that are the same in law.
std::string same_word(const std::string& word) {
  static const std::map<std::string, std::string, std::less<>> same{
      {"acknowledgment", "acknowledgement"},
      {"authorisation", "authorization"},
      {"authorised", "authorized"},
      {"favour", "favor"},
      {"fulfil", "fulfill"},
      {"holders", "holder"},
      {"https", "http"},
      {"judgment", "judgement"},
      {"licence", "license"},
      {"licences", "licenses"},
      {"organisation", "organization"},
      {"owner", "holder"},
      {"owners", "holder"},
      {"recognise", "recognize"},
      {"whilst", "while"}};
  const auto found = same.find(word);
  return found == same.end() ? word : found->second;
}

bool is_title(const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 9;
  if (words.size() > kLongest) return false;
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "license" || word == "licence" || word == "unlicense" || word == "version";
  });
}

// The number of a paragraph, or "(a)".
bool is_number(std::string_view line, const std::vector<std::string>& words) {
  if (words.empty() || words.front().size() > 2) return false;
  const std::size_t end = line.find(words.front()) + words.front().size();
  return end < line.size() && (line[end] == '.' || line[end] == ')');
}

// Up to the end of the terms, or those behind it.
struct CountedWords {
  std::vector<std::string> terms;
  std::vector<std::string> rest;
};

CountedWords words_that_count(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CountedWords counted;
  bool is_head = true;
  bool is_ended = false;
  const std::string lower = base::to_lower_ascii(text);
  for (const std::string_view raw : base::split(lower, '\n')) {
    const std::string_view line = plain_line(raw);
    if (line.starts_with("end of terms") || line.starts_with("end of the terms")) {
      is_ended = true;
    }
    if (after_notice(line) || line.starts_with("all rights reserved")) continue;
    std::vector<std::string> words = split_words(line);
    if (words.empty() || (is_head && is_title(words))) continue;
    is_head = false;
    if (is_number(line, words)) words.erase(words.begin());
    std::vector<std::string>& all = is_ended ? counted.rest : counted.terms;
    for (const std::string& word : words) all.push_back(same_word(word));
  }
  return counted;
}

// Words by which a text is not what it resembles, such as "may not be sold".
constexpr std::array<std::string_view, 7> kLimiting{
    "noncommercial", "commercial", "commercially", "sell", "prohibited", "forbidden", "commons"};
// Those of which long ones have many.
constexpr std::array<std::string_view, 5> kLimitingInShort{"not", "no", "non", "except", "only"};

class Words {
 public:
  explicit Words(std::string_view text) : Words(words_that_count(text)) {}

  std::size_t size() const { return words_.size(); }
  // Also behind the terms.
  std::size_t count(std::string_view word) const {
    return static_cast<std::size_t>(std::ranges::count(words_, word) +
                                    std::ranges::count(rest_, word));
  }

  // Each two in a row, in an order of their own; none with a field.
  std::vector<std::size_t> pairs() const {
    std::vector<std::size_t> pairs;
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      if (words_[i] == kField || words_[i + 1] == kField) continue;
      pairs.push_back(std::hash<std::string>()(words_[i] + ' ' + words_[i + 1]));
    }
    std::ranges::sort(pairs);
    return pairs;
  }

 private:
  explicit Words(CountedWords counted)
      : words_(std::move(counted.terms)), rest_(std::move(counted.rest)) {}

  std::vector<std::string> words_;
  std::vector<std::string> rest_;
};

std::size_t size_of_difference(const std::vector<std::size_t>& one,
                               const std::vector<std::size_t>& other) {
  std::vector<std::size_t> left;
  std::ranges::set_difference(one, other, std::back_inserter(left));
  return left.size();
}

// Whether a text limits what the license grants.
bool is_limited(const Words& text, const Words& known) {
  constexpr std::size_t kShort = 1000;
  const auto is_more = [&](std::string_view word) { return text.count(word) > known.count(word); };
  return std::ranges::any_of(kLimiting, is_more) ||
         (known.size() < kShort && std::ranges::any_of(kLimitingInShort, is_more));
}

// Of the texts that differ in few words the nearest. Holders and what editors change make up most
// of that.
std::string by_words(const Words& text) {
  constexpr std::size_t kOf = 25;           // one of so many may be another
  constexpr std::size_t kLongestName = 10;  // words in place of a field
  constexpr std::size_t kException = 4;     // one of so many may be added by exceptions
  const std::vector<std::size_t> pairs = text.pairs();
  std::string nearest;
  std::size_t least = SIZE_MAX;
  for (const LicenseText& each : license_texts()) {
    const Words known(each.text);
    const std::size_t fields = known.count(kField);
    const bool is_exception = text.count("exception") > known.count("exception");
    const std::size_t most_added =
        known.size() / (is_exception ? kException : kOf) + fields * kLongestName;
    const std::size_t most_missing = known.size() / kOf;
    if (text.size() > known.size() + most_added || text.size() + most_missing < known.size()) {
      continue;
    }
    const std::vector<std::size_t> wanted = known.pairs();
    const std::size_t added = size_of_difference(pairs, wanted);
    const std::size_t missing = size_of_difference(wanted, pairs);
    if (added > most_added || missing > most_missing || is_limited(text, known)) continue;
    if (added + missing >= least) continue;
    least = added + missing;
    nearest = each.id;
  }
  return nearest;
}

// Whether a text that has words of a license goes beyond it. Who may choose a later version has the
// text of this one.
bool goes_beyond(const Words& text, std::string id) {
  constexpr std::string_view kOr = " OR ";
  constexpr std::string_view kLater = "-or-later";
  if (const std::size_t other = id.find(kOr); other != id.npos) {
    return goes_beyond(text, id.substr(0, other)) ||
           goes_beyond(text, id.substr(other + kOr.size()));
  }
  if (id.ends_with(kLater)) id.replace(id.size() - kLater.size(), kLater.size(), "-only");
  bool is_known = false;
  for (const LicenseText& each : license_texts()) {
    if (each.id != id) continue;
    const Words known(each.text);
    const bool is_longer = text.size() > known.size() + known.size() / 10;
    if (!is_longer && !is_limited(text, known)) return false;
    is_known = true;
  }
  return is_known;
}

std::string in_utf8(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (is_utf8(text)) return std::string(text);
  return base::from_code_page(text, base::detect_code_page(text));
}

// Whom a notice names, behind its signs; "" if nobody.
std::string holder_in(std::string_view notice) {
  constexpr std::size_t kLongestHolder = 100;
  const std::string line = base::one_spaced(notice);
  const std::string lower = base::to_lower_ascii(line);
  if (lower.find("free software foundation") != lower.npos) return "";
  // Years, also as "2011-present".
  std::size_t name = 0;
  for (bool is_year = true; is_year;) {
    name = std::min(lower.find_first_not_of("0123456789 ,-\xE2\x80\x93\x94", name), lower.size());
    is_year = std::string_view(lower).substr(name).starts_with("present");
    if (is_year) name += std::string_view("present").size();
  }
  std::string_view holder = std::string_view(line).substr(name);
  holder = holder.substr(0, holder.find_first_of("<([{"));
  for (const std::string_view end : {". all rights", ", all rights", " all rights"}) {
    holder = holder.substr(0, base::to_lower_ascii(holder).find(end));
  }
  while (holder.ends_with('.') || holder.ends_with(' ') || holder.ends_with(',')) {
    holder.remove_suffix(1);
  }
  // A year behind the name.
  while (!holder.empty() && (is_digit(holder.back()) || holder.back() == '-')) {
    const std::size_t space = holder.find_last_of(" ,");
    const std::string_view last = space == holder.npos ? "" : holder.substr(space + 1);
    if (last.size() < 4 || last.find_first_not_of("0123456789-") != last.npos) break;
    holder = base::trim_ascii(holder.substr(0, space));
    while (holder.ends_with(',')) holder.remove_suffix(1);
  }
  if (base::to_lower_ascii(holder).starts_with("by ")) holder.remove_prefix(3);
  // Of templates, and of the texts of licenses.
  constexpr std::array<std::string_view, 16> kNobody{"year",
                                                     "yyyy",
                                                     "yy",
                                                     "xx",
                                                     "author",
                                                     "fullname",
                                                     "the author",
                                                     "name of author",
                                                     "copyright holders",
                                                     "copyright holder",
                                                     "name of copyright owner",
                                                     "year name of author",
                                                     "year your name",
                                                     "sam hocevar",
                                                     "the perl foundation",
                                                     "latex3 project"};
  if (holder.empty() || !base::is_printable(holder) || holder.starts_with('&') ||
      std::ranges::find(kNobody, base::to_lower_ascii(holder)) != kNobody.end()) {
    return "";
  }
  return std::string(base::trim(base::first_code_points(holder, kLongestHolder)));
}

}  // namespace

std::string license_in(std::string_view comment) {
  if (comment.size() > kLongestLicense) return "";
  if (const auto tag = tagged(comment)) return *tag;
  const std::string words = words_of(comment);
  if (std::string id = by_phrase(words); !id.empty()) return id;
  return gnu_license_of_notice(words);
}

std::string license_of_text(std::string_view text) {
  constexpr std::size_t kLongestNotice = 4096;  // that only names the license
  if (text.size() > kLongestLicense) return "";
  if (const auto tag = tagged(text)) return *tag;
  const Words counted(text);
  if (std::string id = by_words(counted); !id.empty()) return id;
  const std::string words = words_of(text);
  const bool is_notice = text.size() <= kLongestNotice && !words.starts_with("gnu ");
  std::string id = is_notice ? gnu_license_of_notice(words) : gnu_license_of_title(words);
  if (id.empty()) id = by_phrase(words);
  return goes_beyond(counted, id) ? "" : id;
}

std::string license_holder(std::string_view text) {
  if (text.size() > kLongestLicense) return "";
  const std::string utf8 = in_utf8(text);
  for (const std::string_view line : base::split(utf8, '\n')) {
    if (const auto notice = after_notice(line)) {
      if (std::string holder = holder_in(*notice); !holder.empty()) return holder;
    }
  }
  return "";
}

}  // namespace goldsmith::domain
