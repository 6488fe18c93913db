#include "app/scan/legal_names.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include <fmt/core.h>
#include <unicode/translit.h>
#include <unicode/unistr.h>

#include "app/base/text.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestSlug = domain::Slug::kMaxSize;

std::unique_ptr<const icu::Transliterator> make_transliterator() {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<const icu::Transliterator> made(
      icu::Transliterator::createInstance("Any-Latin; Latin-ASCII", UTRANS_FORWARD, status));
  if (U_FAILURE(status)) {
    throw std::runtime_error(std::string("ICU can't transliterate: ") + u_errorName(status));
  }
  return made;
}

std::string hyphenated(std::string_view text, std::size_t limit) {
  std::string slug;
  for (const char c : base::to_lower_ascii(in_latin_letters(text))) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-' && c != '\'') {
      slug += '-';
    }
  }
  slug.resize(std::min(slug.size(), limit));
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace

std::string in_latin_letters(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  static const std::unique_ptr<const icu::Transliterator> latin = make_transliterator();
  auto letters = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  latin->transliterate(letters);
  std::string ascii;
  letters.toUTF8String(ascii);
  return ascii;
}

domain::Version legal_version(std::string_view text) {
  std::string version;
  for (const char c : base::trim_ascii(text)) {
    if (domain::Version::is_legal(std::string("0") + c)) {
      if (c != '-' || !version.ends_with('-')) version += c;
    } else if (!version.empty() && version.back() != '-') {
      version += '-';
    }
  }
  if (version.starts_with('.')) version.insert(0, 1, '0');
  while (!version.empty() && !domain::Version::is_legal(version.substr(0, 1))) version.erase(0, 1);
  version.resize(std::min(version.size(), domain::Version::kMaxSize));
  version.resize(version.find_last_not_of("-._") + 1);  // "3.6.*" ends like that
  return domain::Version::parse(version).value_or(domain::Version("0"));
}

bool is_of_template(std::string_view text) {
  constexpr std::array<std::string_view, 11> kTemplates{
      "",     "new plug-in", "new plugin", "nuevo plug-in", "nuevo plugin", "plugin name",
      "name", "author",      "your name",  "untitled",      "unknown"};
  return std::find(kTemplates.begin(), kTemplates.end(), base::to_lower_ascii(text)) !=
         kTemplates.end();
}

bool is_placeholder(std::string_view version) {
  return version.size() > 2 && version.front() == version.back() &&
         std::string_view("%@$#").find(version.front()) != std::string_view::npos;
}

std::string_view version_in_tag(std::string_view tag) {
  const bool has_v = tag.size() > 1 && (tag[0] == 'v' || tag[0] == 'V') && domain::is_digit(tag[1]);
  return tag.substr(has_v ? 1 : 0);
}

domain::Slug new_slug(const SlugSource& source, std::set<std::string>& taken) {
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kEnding = 20;  // room for the author or a number
  std::string slug;
  const auto consider = [&](std::string_view text) {
    std::string next = hyphenated(text, kLongestSlug);
    const bool is_better = slug.empty() || (slug.size() < kShort && next.size() >= kShort);
    if (is_better && next != "plugin") slug = std::move(next);
  };
  consider(source.name);
  consider(source.file);
  if (slug.empty()) consider(source.folder);
  if (slug.empty()) slug = "unnamed";
  if (!taken.contains(slug)) return *domain::Slug::parse(*taken.insert(slug).first);
  const std::string start = hyphenated(slug, kLongestSlug - kEnding - 1);
  const std::string by = hyphenated(source.author, kEnding);
  std::string candidate = by.empty() ? slug : start + '-' + by;
  for (int number = 2; taken.contains(candidate); ++number) {
    candidate = fmt::format("{}-{}", start, number);
  }
  return *domain::Slug::parse(*taken.insert(candidate).first);
}

}  // namespace goldsmith::scan
