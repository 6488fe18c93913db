// Whether bytes are text; of text that is not UTF-8, which code page of Windows it is in
// (uchardet), and the same as UTF-8 (iconv).
#pragma once

#include <locale.h>

#include <string>
#include <string_view>

namespace goldsmith::base {

// False if there is a NUL, or a control byte other than white space and escape.
bool is_text(std::string_view bytes);

// A code page of Windows as a Content-Type calls it: "windows-1250", "windows-1251",
// "windows-1252", "windows-1253", "windows-1254", "windows-1257", "big5", "euc-kr" or "gbk".
bool is_code_page(std::string_view name);

// The one that a text is in, which is not UTF-8; static storage. "" if it is in none of them, as
// KOI8-R, and if that is not certain: of two bytes a character are those texts alone that have no
// others and consist of characters in everyday use. One with fewer than four letters above ASCII is
// taken for Windows-1252, or for Windows-1250 if one of them is in Polish words alone. Words that
// are UTF-8 are left out. Only the first 16 KB of what has such letters are looked at.
const char* detect_code_page(std::string_view text);

// Whether a text in a code page of single bytes has words that are UTF-8 all the same, as where two
// editors wrote it. False for the others, in which that happens by chance.
bool has_utf8_words(std::string_view text, std::string_view code_page);

// As UTF-8, whatever the bytes: what the code page does not define becomes U+FFFD. Without a code
// page ("") it is read as Windows-1252, which shows at least what is ASCII. Throws
// std::system_error if the C library lacks the code page.
std::string from_code_page(std::string_view text, const char* code_page);

// The same for a text of which parts are UTF-8 already, as where two editors wrote it: in a code
// page of single bytes such words stay as they are.
std::string as_utf8(std::string_view text, const char* code_page);

// The locale of names in archives.

// C.UTF-8 as the locale of this thread while it lives, if the host has it: libarchive converts
// names to the thread's locale, and loses all but ASCII in the C locale.
class Utf8Locale {
 public:
  Utf8Locale() : previous_(::uselocale(loaded())) {}
  ~Utf8Locale() { ::uselocale(previous_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  // Null if the host does not have it, which leaves the thread's locale as it is.
  static locale_t loaded() {
    static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }

  locale_t previous_;
};

}  // namespace goldsmith::base
