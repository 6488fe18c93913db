#include "app/base/encoding.hpp"

#include <iconv.h>
#include <uchardet.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::base {
namespace {

// With fewer, a third of the Spanish words would be Windows-1250.
constexpr std::ptrdiff_t kFewest = 4;
// The detector takes up to 10 ms for as much.
constexpr std::size_t kEnough = 16 * 1024;

constexpr const char* kWestern = "windows-1252";

bool is_binary_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  if (value == 0x7F) return true;
  return value < 0x20 && std::string_view("\t\n\v\f\r\x1B").find(byte) == std::string_view::npos;
}

bool is_above_ascii(char byte) { return static_cast<unsigned char>(byte) >= 0x80; }

bool is_in_foreign_word(char byte) {
  return is_above_ascii(byte) || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

// The words with bytes above ASCII: the rest of a source is English.
std::string foreign_words(std::string_view text) {
  std::string words;
  const auto* const end = text.end();
  for (const auto* next = text.begin(); words.size() < kEnough;) {
    const auto* const found = std::find_if(next, end, is_above_ascii);
    if (found == end) break;
    const auto* start = found;
    while (start != next && is_in_foreign_word(start[-1])) --start;
    next = std::find_if_not(found, end, is_in_foreign_word);
    words.append(start, next) += ' ';
  }
  words.resize(std::min(words.size(), kEnough));
  return words;
}

// What the detector calls it, as the code page that plugins of that script are written in: the
// others have most letters at the same places, and short texts are taken for them.
const char* code_page_of(std::string_view charset) {
  constexpr auto kPages = std::to_array<std::pair<std::string_view, const char*>>({
      {"WINDOWS-1250", "windows-1250"},
      {"ISO-8859-2", "windows-1250"},
      {"ISO-8859-16", "windows-1250"},
      {"MAC-CENTRALEUROPE", "windows-1250"},
      {"WINDOWS-1251", "windows-1251"},
      {"MAC-CYRILLIC", "windows-1251"},
      {"WINDOWS-1252", kWestern},
      {"ISO-8859-1", kWestern},
      {"ISO-8859-3", kWestern},  // of signs alone; nobody writes Esperanto
      {"ISO-8859-15", kWestern},
      {"WINDOWS-1254", "windows-1254"},
      {"ISO-8859-9", "windows-1254"},
  });
  const auto* const found = std::find_if(kPages.begin(), kPages.end(),
                                         [&](const auto& page) { return page.first == charset; });
  return found == kPages.end() ? "" : found->second;
}

struct Close {
  void operator()(iconv_t converter) const { iconv_close(converter); }
};
using Converter = std::unique_ptr<std::remove_pointer_t<iconv_t>, Close>;

Converter converter_from(const char* code_page) {
  const iconv_t opened = iconv_open("UTF-8", code_page);
  if (std::bit_cast<std::intptr_t>(opened) == -1) {
    throw std::system_error(errno, std::generic_category(), std::string("iconv: ") + code_page);
  }
  return Converter(opened);
}

}  // namespace

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), is_binary_byte);
}

const char* detect_code_page(std::string_view text) {
  const std::string words = foreign_words(text);
  if (std::count_if(words.begin(), words.end(), is_above_ascii) < kFewest) return kWestern;
  const std::unique_ptr<std::remove_pointer_t<uchardet_t>, decltype(&uchardet_delete)> detector(
      uchardet_new(), &uchardet_delete);
  if (!detector || uchardet_handle_data(detector.get(), words.data(), words.size()) != 0) {
    return kWestern;
  }
  uchardet_data_end(detector.get());
  return code_page_of(uchardet_get_charset(detector.get()));
}

std::string from_code_page(std::string_view text, const char* code_page) {
  const Converter converter = converter_from(*code_page == '\0' ? kWestern : code_page);
  std::string utf8(text.size() * 3, '\0');        // no character of theirs takes more bytes
  char* source = const_cast<char*>(text.data());  // iconv() does not write there
  char* target = utf8.data();
  std::size_t unread = text.size();
  std::size_t room = utf8.size();
  constexpr auto kFailed = static_cast<std::size_t>(-1);
  while (iconv(converter.get(), &source, &unread, &target, &room) == kFailed) {
    if (errno != EILSEQ) throw std::system_error(errno, std::generic_category(), "iconv");
    target = std::copy(kReplacementCharacter.begin(), kReplacementCharacter.end(), target);
    room -= kReplacementCharacter.size();
    ++source;
    --unread;
  }
  utf8.resize(utf8.size() - room);
  return utf8;
}

}  // namespace goldsmith::base
