#include "app/owner/texts.hpp"

#include <algorithm>
#include <cstddef>

#include "app/base/text.hpp"

namespace goldsmith::owner {

base::Message::Translate translation_to(std::string_view tag) {
  const auto translated = texts_in(tag);
  return [translated](std::string_view text) {
    const auto texts = english_texts();
    const auto found = std::lower_bound(texts.begin(), texts.end(), text);
    if (translated.empty() || found == texts.end() || *found != text) return std::string(text);
    const std::string_view known = translated[static_cast<std::size_t>(found - texts.begin())];
    return std::string(known.empty() ? text : known);
  };
}

std::string_view language_of(std::string_view locale) {
  const std::size_t dot = locale.find('.');
  if (dot != std::string_view::npos && locale.substr(dot + 1, 1).find_first_of("Uu") != 0) {
    return "en";
  }
  std::string tag(locale.substr(0, locale.find_first_of(".@")));
  std::ranges::replace(tag, '_', '-');
  if (locale.ends_with("@latin")) tag += "-Latn";
  const auto language = [](std::string_view of) { return of.substr(0, of.find('-')); };
  std::string_view best = "en";
  for (const std::string_view each : text_languages()) {
    if (each == tag) return each;
    if (language(each) == language(tag) && best == "en") best = each;
  }
  return best;
}

}  // namespace goldsmith::owner
