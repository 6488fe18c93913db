// The locale of names in archives.
#pragma once

#include <locale.h>

namespace goldsmith::sys {

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

}  // namespace goldsmith::sys
