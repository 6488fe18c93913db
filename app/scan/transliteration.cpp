#include "app/scan/transliteration.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <unicode/translit.h>
#include <unicode/unistr.h>

namespace goldsmith::scan {

namespace {

std::unique_ptr<const icu::Transliterator> make_transliterator() {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<const icu::Transliterator> made(
      icu::Transliterator::createInstance("Any-Latin; Latin-ASCII", UTRANS_FORWARD, status));
  if (U_FAILURE(status)) {
    throw std::runtime_error(std::string("ICU can't transliterate: ") + u_errorName(status));
  }
  return made;
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

}  // namespace goldsmith::scan
