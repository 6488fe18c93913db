#include "handlers/pages/language.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include <unicode/datefmt.h>
#include <unicode/localematcher.h>
#include <unicode/measunit.h>
#include <unicode/nounit.h>
#include <unicode/numberformatter.h>
#include <unicode/plurrule.h>
#include <unicode/timezone.h>
#include <boost/locale/gnu_gettext.hpp>
#include <boost/locale/message.hpp>

#include "app/base/lru_cache.hpp"
#include "app/base/text.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

namespace {

namespace gettext = boost::locale::gnu_gettext;

constexpr int kDomain = 0;

// "pt_BR" is "pt-BR", "sr@latin" is "sr-Latn".
std::string tag_of(std::string_view gettext_name) {
  const std::size_t modifier = gettext_name.find('@');
  std::string tag(gettext_name.substr(0, modifier));
  std::replace(tag.begin(), tag.end(), '_', '-');
  if (modifier != std::string_view::npos && gettext_name.substr(modifier) == "@latin") {
    tag.append("-Latn");
  }
  return tag;
}

icu::Locale locale_of(const std::string& tag) {
  UErrorCode status = U_ZERO_ERROR;
  icu::Locale locale = icu::Locale::forLanguageTag(tag, status);
  return U_SUCCESS(status) ? locale : icu::Locale::getRoot();
}

std::string utf8(const icu::UnicodeString& text) {
  std::string result;
  text.toUTF8String(result);
  return result;
}

std::unique_ptr<std::locale> catalog_of(std::string_view content) {
  gettext::messages_info info;
  info.language = "any";  // part of the name of a file, which nothing reads
  info.encoding = "UTF-8";
  info.domains.emplace_back("goldsmith");
  info.paths.emplace_back();
  info.callback = [content](const std::string&, const std::string&) {
    return std::vector<char>(content.begin(), content.end());
  };
  return std::make_unique<std::locale>(std::locale::classic(),
                                       gettext::create_messages_facet<char>(info));
}

std::unique_ptr<icu::LocaleMatcher> make_matcher() {
  UErrorCode status = U_ZERO_ERROR;
  icu::LocaleMatcher::Builder builder;
  for (const Language& each : languages()) builder.addSupportedLocale(locale_of(each.tag()));
  builder.setNoDefaultLocale();
  auto matcher = std::make_unique<icu::LocaleMatcher>(builder.build(status));
  return U_SUCCESS(status) ? std::move(matcher) : nullptr;
}

// Without `*`, which stands for any other language and which ICU does not know.
std::string named_languages(std::string_view accept_language) {
  std::string list;
  for (const std::string_view piece : base::split(accept_language, ',')) {
    const std::string_view range = base::trim_ascii(piece);
    if (range.empty() || range.front() == '*') continue;
    list.append(list.empty() ? "" : ",").append(range);
  }
  return list;
}

}  // namespace

// What a language other than English needs.
struct Language::Loaded {
  Loaded(const std::string& tag, std::string_view catalog)
      : facets(catalog_of(catalog)),
        messages(std::use_facet<boost::locale::message_format<char>>(*facets)),
        locale(locale_of(tag)),
        integers(icu::number::NumberFormatter::withLocale(locale)),
        decimals(icu::number::NumberFormatter::withLocale(locale).precision(
            icu::number::Precision::maxFraction(2))),
        dates(icu::DateFormat::createDateInstance(icu::DateFormat::kMedium, locale)) {
    if (dates) dates->adoptTimeZone(icu::TimeZone::getGMT()->clone());
  }

  std::unique_ptr<std::locale> facets;
  const boost::locale::message_format<char>& messages;
  icu::Locale locale;
  icu::number::LocalizedNumberFormatter integers;
  icu::number::LocalizedNumberFormatter decimals;
  std::unique_ptr<icu::DateFormat> dates;
  // By unit and decimals: to make one takes thirty times as long as to use it.
  std::map<std::pair<std::size_t, int>, icu::number::LocalizedNumberFormatter> sizes;
};

Language::Language(std::string_view gettext_name, std::string_view catalog)
    : gettext_name_(gettext_name), tag_(tag_of(gettext_name)), catalog_(catalog) {
  const icu::Locale locale = locale_of(tag_);
  icu::UnicodeString name;
  name_ = utf8(locale.getDisplayName(locale, name));
}

Language::Loaded& Language::loaded() const {
  // A language takes 0.3 MB, and half a millisecond to load.
  constexpr std::size_t kMost = 4;
  static_assert(kMost >= 4, "the cache stores nothing that takes more than a quarter of it");
  static base::LruCache<std::shared_ptr<Loaded>> recent;
  if (const auto* const kept = recent.find(tag_)) return **kept;
  auto made = std::make_shared<Loaded>(tag_, catalog_);
  Loaded& result = *made;
  recent.put(tag_, std::move(made), 1, kMost);
  return result;
}

std::optional<std::string_view> Language::find(std::string_view context,
                                               std::string_view text) const {
  if (is_english() || text.empty()) return std::nullopt;
  const std::string within(context);
  const char* const found = loaded().messages.get(
      kDomain, within.empty() ? nullptr : within.c_str(), std::string(text).c_str());
  if (found == nullptr || *found == '\0') return std::nullopt;
  return found;
}

std::optional<std::string_view> Language::find_plural(std::string_view one,
                                                      std::int64_t number) const {
  if (is_english()) return std::nullopt;
  // The rules of plurals look at the last digits, and at whether it is large.
  constexpr std::int64_t kLarge = 100'000'000;
  const std::int64_t small = number < kLarge ? number : kLarge + number % kLarge;
  const char* const found =
      loaded().messages.get(kDomain, nullptr, std::string(one).c_str(), static_cast<int>(small));
  if (found == nullptr || *found == '\0') return std::nullopt;
  return found;
}

std::string Language::number(std::int64_t value) const {
  if (is_english()) {
    std::string text = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t end = text.size(); end > first + 3; end -= 3) text.insert(end - 3, ",");
    return text;
  }
  UErrorCode status = U_ZERO_ERROR;
  std::string text = utf8(loaded().integers.formatInt(value, status).toString(status));
  return U_SUCCESS(status) ? text : std::to_string(value);
}

std::string Language::decimal(double value) const {
  std::string plain = json::to_string(value);
  if (is_english()) return plain;
  UErrorCode status = U_ZERO_ERROR;
  std::string text = utf8(loaded().decimals.formatDouble(value, status).toString(status));
  return U_SUCCESS(status) ? text : plain;
}

std::string Language::percent(int value) const {
  std::string plain = std::to_string(value) + "%";
  if (is_english()) return plain;
  UErrorCode status = U_ZERO_ERROR;
  std::string text = utf8(
      loaded().integers.unit(icu::NoUnit::percent()).formatInt(value, status).toString(status));
  return U_SUCCESS(status) ? text : plain;
}

std::string Language::date(domain::Timestamp time) const {
  constexpr std::size_t kDate = 10;
  if (!is_english() && loaded().dates) {
    icu::UnicodeString text;
    const auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
    return utf8(loaded().dates->format(static_cast<UDate>(since.count()), text));
  }
  return domain::format_timestamp(time).substr(0, kDate);
}

std::string Language::size(std::uint64_t bytes) const {
  if (is_english()) return base::readable_size(bytes);
  const std::array<icu::MeasureUnit, 6> units{
      icu::MeasureUnit::getByte(),     icu::MeasureUnit::getKilobyte(),
      icu::MeasureUnit::getMegabyte(), icu::MeasureUnit::getGigabyte(),
      icu::MeasureUnit::getTerabyte(), icu::MeasureUnit::getPetabyte()};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 would be shown as 1000, as in base::readable_size().
  for (; value >= (unit == 0 ? 1000 : 999.5) && unit + 1 < units.size(); ++unit) value /= 1000;
  const int decimals = unit > 0 && value < 9.95 ? 1 : 0;
  Loaded& kept = loaded();
  const auto [formatter, is_new] = kept.sizes.try_emplace({unit, decimals});
  if (is_new) {
    formatter->second = kept.integers.unit(units.at(unit))
                            .unitWidth(UNUM_UNIT_WIDTH_SHORT)
                            .precision(icu::number::Precision::fixedFraction(decimals));
  }
  UErrorCode status = U_ZERO_ERROR;
  std::string text = utf8(formatter->second.formatDouble(value, status).toString(status));
  return U_SUCCESS(status) ? text : base::readable_size(bytes);
}

json::Object Language::plural_forms(std::string_view one) const {
  json::Object forms;
  if (is_english()) return forms;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::PluralRules> rules(
      icu::PluralRules::forLocale(loaded().locale, status));
  if (U_FAILURE(status)) return forms;
  constexpr std::int64_t kSamples = 200;  // every rule repeats itself below
  for (std::int64_t number = 0; number < kSamples; ++number) {
    const auto form = find_plural(one, number);
    if (!form) continue;
    forms.try_emplace(utf8(rules->select(static_cast<std::int32_t>(number))), *form);
    forms.try_emplace("other", *form);
  }
  return forms;
}

std::span<const Language> languages() {
  static const std::vector<Language> all = [] {
    std::vector<Language> made;
    made.emplace_back("en", "");
    for (const EmbeddedFile& each : embedded_catalogs()) {
      made.emplace_back(each.name, each.content);
    }
    return made;
  }();
  return all;
}

const Language& english() { return languages().front(); }

const Language* find_language(std::string_view tag) {
  const std::string wanted = base::to_lower_ascii(tag);
  for (const Language& each : languages()) {
    if (base::to_lower_ascii(each.tag()) == wanted) return &each;
  }
  return nullptr;
}

const Language* accepted_language(std::string_view accept_language) {
  constexpr std::size_t kLongest = 500;
  if (accept_language.size() > kLongest) {
    accept_language = accept_language.substr(0, accept_language.rfind(',', kLongest));
  }
  const std::string list = named_languages(accept_language.substr(0, kLongest));
  if (list.empty()) return nullptr;
  static const std::unique_ptr<icu::LocaleMatcher> matcher = make_matcher();
  if (!matcher) return nullptr;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Locale* const found = matcher->getBestMatchForListString(list, status);
  if (U_FAILURE(status) || found == nullptr) return nullptr;
  return find_language(found->toLanguageTag<std::string>(status));
}

}  // namespace goldsmith::handlers::pages
