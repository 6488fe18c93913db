#include "app/scan/license.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/domain/license.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

// Lower case, and one space for what separates words: comments wrap and decorate their lines.
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : sys::to_lower_ascii(text)) {
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
  std::string id(sys::trim_ascii(rest));
  try {
    domain::parse_license(id);
    return id;
  } catch (const domain::InvalidLicense&) {
    return "";
  }
}

// What a license says of itself, and nothing else does: the first that is found counts.
std::string by_phrase(std::string_view words) {
  constexpr std::array<std::pair<std::string_view, const char*>, 12> kPhrases{{
      {"permission is hereby granted free of charge to any person obtaining a copy", "MIT"},
      {"licensed under the apache license version 2.0", "Apache-2.0"},
      {"apache license version 2.0 january 2004", "Apache-2.0"},
      {"mozilla public license version 2.0", "MPL-2.0"},
      {"mozilla public license v. 2.0", "MPL-2.0"},
      {"this is free and unencumbered software released into the public domain", "Unlicense"},
      {"cc0 1.0 universal", "CC0-1.0"},
      {"do what the fuck you want to public license", "WTFPL"},
      {"permission to use copy modify and or distribute this software for any purpose with or "
       "without fee is hereby granted",
       "ISC"},
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

// "" if SPDX has no such license.
std::string gnu_license(std::string_view name, std::string_view number, std::string_view range) {
  const std::string id = std::string(name) + '-' + std::string(number) +
                         (number == "2.1" ? "-" : ".0-") + std::string(range);
  const auto ids = domain::license_ids();
  return std::find(ids.begin(), ids.end(), id) == ids.end() ? "" : id;
}

constexpr std::array<std::string_view, 3> kNumbers{"3", "2.1", "2"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kGnu{{
    {"gnu affero general public license", "AGPL"},
    {"gnu lesser general public license", "LGPL"},
    {"gnu general public license", "GPL"},
}};

}  // namespace

std::string license_in(std::string_view comment) {
  if (comment.size() > kLongestLicense) return "";
  if (const auto tag = tagged(comment)) return *tag;
  const std::string words = words_of(comment);
  const auto has = [&](std::string_view phrase) { return words.find(phrase) != words.npos; };
  if (std::string id = by_phrase(words); !id.empty()) return id;
  for (const auto& [name, id] : kGnu) {
    if (!has(name)) continue;
    const bool is_open = has("any later version") || has("or later") || has("or higher") ||
                         has("or newer") || has("or greater") || has("or above");
    const char* const range = is_open ? "or-later" : "only";
    for (const std::string_view number : kNumbers) {
      if (has("version " + std::string(number))) return gnu_license(id, number, range);
    }
  }
  return "";
}

std::string license_of_text(std::string_view text) {
  if (text.size() > kLongestLicense) return "";
  if (const auto tag = tagged(text)) return *tag;
  // The title comes first; the texts of the GNU licenses name each other and others.
  constexpr std::size_t kTitle = 200;
  const std::string words = words_of(text);
  const std::string_view title = std::string_view(words).substr(0, kTitle);
  for (const auto& [name, id] : kGnu) {
    if (title.find(name) == title.npos) continue;
    for (const std::string_view number : kNumbers) {
      const bool is_it = title.find("version " + std::string(number) + ' ') != title.npos;
      if (is_it) return gnu_license(id, number, "only");
    }
  }
  return by_phrase(words);
}

}  // namespace goldsmith::scan
