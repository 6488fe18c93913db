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

}  // namespace

// The version stands directly before the name, or behind it in the same sentence: a comment has
// others, too, such as the plugin's own. Who names none leaves the choice.
std::string gnu_license_of_notice(std::string_view words) {
  constexpr std::string_view kVersion = "version ";
  constexpr std::string_view kOther = " or version ";
  constexpr std::string_view kOfAny =
      "gnu general public license as published by the free software";
  constexpr std::array<std::string_view, 6> kOpen{"any later version", "or later",   "or higher",
                                                  "or newer",          "or greater", "or above"};
  constexpr std::size_t kBefore = sizeof "version 2.1 of the";
  constexpr std::size_t kNear = 240;
  for (const auto& [name, id] : kGnu) {
    for (std::size_t at = words.find(name); at != words.npos; at = words.find(name, at + 1)) {
      const std::size_t from = at - std::min(at, kBefore);
      const std::string_view until = words.substr(from, at - from);
      const std::size_t before = until.ends_with(" of the ") ? until.find(kVersion) : until.npos;
      std::string_view notice = words.substr(before == until.npos ? at : from + before, kNear);
      const std::size_t version = notice.find(kVersion);
      if (notice.substr(0, version).find(". ") != notice.npos || version == notice.npos) continue;
      notice.remove_prefix(version + kVersion.size());
      const std::string_view number = gnu_number(notice);
      if (number.empty()) continue;
      const bool is_open = std::ranges::any_of(
          kOpen, [&](std::string_view open) { return notice.find(open) != notice.npos; });
      const std::size_t other = notice.find(kOther);
      const std::string_view second =
          other == notice.npos || is_open ? "" : gnu_number(notice.substr(other + kOther.size()));
      const char* const range = is_open ? "or-later" : "only";
      return gnu_license(id, number, range) +
             (second.empty() ? "" : " OR " + gnu_license(id, second, range));
    }
  }
  return words.find(kOfAny) == words.npos ? "" : gnu_license("GPL", "1", "or-later");
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
