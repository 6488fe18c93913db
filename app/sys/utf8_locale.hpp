// The locale of names in archives.
#pragma once

#include <locale.h>

namespace goldsmith::sys {

// C.UTF-8 as the locale of this thread while it lives, if the host has it: libarchive converts
// names to the thread's locale, and loses all but ASCII in the C locale.
class Utf8Locale {
 public:
  Utf8Locale()
      : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), previous_(::uselocale(locale_)) {}
  ~Utf8Locale() {
    ::uselocale(previous_);
    if (locale_) ::freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t locale_;
  locale_t previous_;
};

}  // namespace goldsmith::sys
