// Names in any alphabet, in letters of ASCII.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::scan {

// Letters of other alphabets as Latin ones, and those without their accents (ICU's Any-Latin and
// Latin-ASCII): what becomes of them may still have other characters, such as emoji. Of a text that
// is no UTF-8 anything. Throws std::runtime_error if ICU lacks its data.
std::string in_latin_letters(std::string_view text);

}  // namespace goldsmith::scan
