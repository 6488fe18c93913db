#include "app/domain/gnu_license.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/domain/license.hpp"

namespace goldsmith::domain {
namespace {

// "" if SPDX has no such license.
std::string gnu_license(std::string_view name, std::string_view number, std::string_view range) {
  const std::string id = std::string(name) + '-' + std::string(number) +
                         (number == "2.1" ? "-" : ".0-") + std::string(range);
  const auto ids = license_ids();
  return std::find(ids.begin(), ids.end(), id) == ids.end() ? "" : id;
}

constexpr std::array<std::string_view, 3> kNumbers{"3", "2.1", "2"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kGnu{{
    {"gnu affero general public license", "AGPL"},
    {"gnu lesser general public license", "LGPL"},
    {"gnu general public license", "GPL"},
}};

// Of a license, behind "version ": 3 of "3.0", none of "3.30".
std::string_view gnu_number(std::string_view words) {
  std::string_view number = words.substr(0, words.find(' '));
  while (number.ends_with('.')) number.remove_suffix(1);
  if (number.ends_with(".0")) number.remove_suffix(2);
  return std::ranges::find(kNumbers, number) == kNumbers.end() ? "" : number;
}

// Up to the end of the first sentence; "Inc." ends none.
std::string_view sentence(std::string_view words) {
  std::size_t end = words.find(". ");
  while (end != words.npos && words.substr(0, end).ends_with(" inc")) {
    end = words.find(". ", end + 1);
  }
  return words.substr(0, end);
}

// What `words`, from the number of a version on, let choose: that version alone, later ones, or one
// other. Only what speaks of the license may stand between: a comment goes on about other things.
struct Choice {
  bool is_open = false;
  std::string_view other;  // number
};
Choice choice_of(std::string_view words) {
  constexpr std::string_view kVersion = "version ";
  constexpr std::array<std::string_view, 6> kOpen{"any later version", "or later",   "or higher",
                                                  "or newer",          "or greater", "or above"};
  constexpr std::array<std::string_view, 25> kBetween{
      "of",   "the",       "this",   "license", "licence",  "it",         "or",     "at",  "your",
      "only", "option",    "either", "gnu",     "general",  "public",     "lesser", "gpl", "lgpl",
      "as",   "published", "by",     "free",    "software", "foundation", "inc."};
  const std::string_view number = gnu_number(words);
  Choice choice;
  for (std::size_t at = words.find(' '); at != words.npos; at = words.find(' ', at)) {
    const std::string_view rest = words.substr(++at);
    choice.is_open =
        std::ranges::any_of(kOpen, [&](std::string_view open) { return rest.starts_with(open); });
    if (choice.is_open) break;
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (rest.starts_with(kVersion)) {
      const std::string_view next = gnu_number(rest.substr(kVersion.size()));
      if (next.empty()) break;
      if (next != number) choice.other = next;
      at += kVersion.size();
    } else if (std::ranges::find(kBetween, word) == kBetween.end()) {
      break;
    }
  }
  return choice;
}

}  // namespace

// The version stands directly before the name, behind it in the same sentence, or at the beginning
// of the next as "version 2 of the license": a comment has others, too, such as the plugin's own.
// Who names none leaves the choice.
std::string gnu_license_of_notice(std::string_view words) {
  constexpr std::string_view kVersion = "version ";
  constexpr std::string_view kOfAny =
      "gnu general public license as published by the free software";
  constexpr std::size_t kBefore = sizeof "version 2.1 of the";
  constexpr std::size_t kNear = 240;
  for (const auto& [name, id] : kGnu) {
    for (std::size_t at = words.find(name); at != words.npos; at = words.find(name, at + 1)) {
      const std::size_t from = at - std::min(at, kBefore);
      const std::string_view until = words.substr(from, at - from);
      const std::size_t before = until.ends_with(" of the ") ? until.find(kVersion) : until.npos;
      std::string_view notice = words.substr(before == until.npos ? at : from + before, kNear);
      const std::string_view first = sentence(notice);
      std::size_t version = first.find(kVersion);
      if (version == first.npos) {
        const std::string_view next = notice.substr(std::min(first.size() + 2, notice.size()));
        const std::string_view number = next.substr(std::min(kVersion.size(), next.size()));
        const bool is_of_license =
            next.starts_with(kVersion) &&
            number.substr(std::min(number.find(' '), number.size())).starts_with(" of the licen");
        if (!is_of_license) continue;
        version = first.size() + 2;
      }
      notice.remove_prefix(version + kVersion.size());
      const std::string_view number = gnu_number(notice);
      if (number.empty()) continue;
      const Choice choice = choice_of(sentence(notice));
      const char* const range = choice.is_open ? "or-later" : "only";
      std::string one = gnu_license(id, number, range);
      const std::string other =
          choice.other.empty() || choice.is_open ? "" : gnu_license(id, choice.other, range);
      if (one.empty() || other.empty()) return one + other;
      return std::move(one) + " OR " + other;
    }
  }
  const std::size_t any = words.find(kOfAny);
  if (any == words.npos) return "";
  const std::string_view behind = words.substr(any + kOfAny.size(), kNear);
  const bool names_other =
      std::ranges::any_of(std::array<std::string_view, 3>{"version ", " v2", " v3"},
                          [&](std::string_view sign) { return behind.find(sign) != behind.npos; });
  return names_other ? "" : gnu_license("GPL", "1", "or-later");
}

// The title comes first; the texts of the GNU licenses name each other and others.
std::string gnu_license_of_title(std::string_view words) {
  constexpr std::size_t kTitle = 200;
  const std::string_view title = words.substr(0, kTitle);
  for (const auto& [name, id] : kGnu) {
    if (title.find(name) == title.npos) continue;
    for (const std::string_view number : kNumbers) {
      const bool is_it = title.find("version " + std::string(number) + ' ') != title.npos;
      if (is_it) return gnu_license(id, number, "only");
    }
  }
  return "";
}

}  // namespace goldsmith::domain
