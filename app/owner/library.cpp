#include "app/owner/library.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/shared_object.hpp"

namespace goldsmith::owner {
namespace {

using domain::is_digit;
using domain::is_letter;
using pawn::SharedObject;

constexpr std::size_t kLongestText = 64;
constexpr std::size_t kMostPlaces = 8;
constexpr std::uint32_t kWord = 4;

bool is_word(char c) { return domain::is_alphanumeric(c) || c == '_'; }
bool is_of_version(char c) {
  return domain::is_alphanumeric(c) || c == '.' || c == '+' || c == '-';
}

std::string_view take_while(std::string_view& text, bool (*is)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), is);
  const std::string_view taken(text.begin(), end);
  text.remove_prefix(taken.size());
  return taken;
}

// "NAME version: 1.2…": the version, which has two numbers at least.
std::optional<Introduction> version_line(std::string_view text) {
  constexpr std::string_view kMark = " version: ";
  for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    while (begin < at && !is_letter(text[begin])) ++begin;
    std::string_view rest = text.substr(at + kMark.size());
    const std::string_view version = rest;
    const bool has_numbers = !take_while(rest, is_digit).empty() && rest.starts_with('.') &&
                             rest.size() > 1 && is_digit(rest[1]);
    if (begin == at || !has_numbers) continue;
    take_while(rest, is_of_version);
    const std::size_t size = std::min(version.size() - rest.size(), kLongestText);
    return Introduction{std::string(text.substr(begin, at - begin)).substr(0, kLongestText),
                        std::string(version.substr(0, size))};
  }
  return std::nullopt;
}

// "$Pg: NAME -- VERSION |"
std::optional<Introduction> product_line(std::string_view text) {
  constexpr std::string_view kMark = "$Pg: ";
  constexpr std::string_view kDash = " -- ";
  const std::size_t at = text.find(kMark);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + kMark.size());
  const std::size_t bar = text.find(" |");
  const std::size_t dash = text.substr(0, bar).rfind(kDash);
  if (bar == text.npos || dash == text.npos || !is_letter(text.front())) return std::nullopt;
  const std::string_view name = text.substr(0, dash);
  const std::string_view version = text.substr(dash + kDash.size(), bar - dash - kDash.size());
  const bool is_version = !version.empty() && is_digit(version.front()) &&
                          std::all_of(version.begin(), version.end(), is_of_version);
  if (!is_version || name.find('|') != name.npos) return std::nullopt;
  return Introduction{std::string(name.substr(0, kLongestText)),
                      std::string(version.substr(0, kLongestText))};
}

// "1.9.0.5271", "1.8.3-dev+4758": a version with a build or a tag.
bool is_platform_build(std::string_view text) {
  const auto take = [&](char mark, bool (*is)(char)) {
    if (!text.starts_with(mark)) return true;
    text.remove_prefix(1);
    return !take_while(text, is).empty();
  };
  if (!text.starts_with("1.")) return false;
  text.remove_prefix(1);
  if (!take('.', is_digit) || !text.starts_with('.') || !take('.', is_digit)) return false;
  return !text.empty() && take('.', is_digit) && take('-', domain::is_lower) &&
         take('+', is_digit) && text.empty();
}

// Of the texts of a library, each ended by a NUL.
std::optional<Introduction> said_in_texts(std::string_view file, bool is_platform) {
  constexpr std::string_view kMetamodR = "Metamod-r";
  std::string_view build;
  bool is_ambiguous = false;
  bool is_r = false;
  for (std::string_view text : base::split(file, '\0')) {
    if (text.size() < 4) continue;
    if (auto found = version_line(text)) return found;
    if (auto found = product_line(text)) return found;
    is_r = is_r || text.starts_with(kMetamodR);
    if (!is_platform_build(text) || text == build) continue;
    is_ambiguous = is_ambiguous || !build.empty();
    build = text;
  }
  if (build.empty() || is_ambiguous || !(is_r || is_platform)) return std::nullopt;
  return Introduction{std::string(is_r ? kMetamodR : "AMX Mod X"),
                      std::string(build.substr(0, kLongestText))};
}

// Where a text "5:13" is, the version of Metamod's interface; the record points to it.
std::vector<std::uint32_t> interface_places(const SharedObject& object) {
  std::vector<std::uint32_t> places;
  for (const SharedObject::Segment& segment : object.segments()) {
    const std::string_view bytes = segment.bytes;
    for (std::size_t at = bytes.find("5:"); at != bytes.npos; at = bytes.find("5:", at + 1)) {
      const std::string_view rest = bytes.substr(at + 2, 3);
      if (rest.size() < 3 || !is_digit(rest[0]) || !is_digit(rest[1]) || rest[2] != '\0') continue;
      places.push_back(segment.address + static_cast<std::uint32_t>(at));
      if (places.size() == kMostPlaces) return places;
    }
  }
  return places;
}

std::string text_in(const SharedObject& object, std::uint32_t address) {
  if (address == 0) return {};
  const std::string_view text = object.bytes_at(address).substr(0, kLongestText);
  return std::string(text.substr(0, text.find('\0')));
}

// The version of the interface, name, version, date, author, address and tag, each by the place of
// its text, and two small numbers.
std::optional<Introduction> record_at(const SharedObject& object, std::uint32_t address) {
  std::array<std::uint32_t, 9> cells{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto word = object.word_at(std::uint64_t{address} + i * kWord);
    if (!word) return std::nullopt;
    cells[i] = *word;
  }
  constexpr std::uint32_t kSmall = 10;
  if ((cells[1] == 0 && cells[2] == 0) || cells[7] >= kSmall || cells[8] >= kSmall) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i <= 6; ++i) {
    if (cells[i] != 0 && object.bytes_at(cells[i]).empty()) return std::nullopt;
  }
  return Introduction{text_in(object, cells[1]), text_in(object, cells[2])};
}

std::optional<Introduction> said_in_record(std::string_view file) {
  const SharedObject object(file);
  const std::vector<std::uint32_t> places = interface_places(object);
  if (places.empty()) return std::nullopt;
  for (const SharedObject::Segment& segment : object.segments()) {
    for (std::size_t at = 0; at + kWord <= segment.bytes.size(); at += kWord) {
      const auto address = static_cast<std::uint32_t>(segment.address + at);
      const auto word = object.word_at(address);
      if (!word || std::ranges::find(places, *word) == places.end()) continue;
      if (auto found = record_at(object, address)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Introduction> introduction_of(std::string_view file, bool is_platform) {
  file = file.substr(0, kMostOfLibrary);
  if (auto found = said_in_record(file)) return found;
  return said_in_texts(file, is_platform);
}

}  // namespace goldsmith::owner
