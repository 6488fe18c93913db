// Legal names (decision R15) for what sources call otherwise.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "app/domain/names.hpp"

namespace goldsmith::scan {

// Letters of other alphabets as Latin ones, and those without their accents (ICU's Any-Latin and
// Latin-ASCII): what becomes of them may still have other characters, such as emoji. Of a text that
// is no UTF-8 anything. Throws std::runtime_error if ICU lacks its data.
std::string in_latin_letters(std::string_view text);

// "1.0 Alpha" becomes 1.0-Alpha, ".3b" 0.3b, "3.6.*" 3.6. "0" if nothing legal is left.
domain::Version legal_version(std::string_view text);

// What editors put into a new source, or nothing.
bool is_of_template(std::string_view text);

// "%VERSION%", which its project replaces when it makes a release.
bool is_placeholder(std::string_view version);

// "1.2" of the tag "v1.2".
std::string_view version_in_tag(std::string_view tag);

// What a slug is made of, in any alphabet.
struct SlugSource {
  std::string_view name;    // of the plugin
  std::string_view file;    // of its source, without the extension
  std::string_view folder;  // that the source lies in
  std::string_view author;
};
// Made of the first of name and file that has more than two letters, or else any; of the folder
// where both are nothing but the word "plugin", or have no letters. If that slug is taken, with the
// author or a number behind it. Adds it to `taken`.
domain::Slug new_slug(const SlugSource& source, std::set<std::string>& taken);

}  // namespace goldsmith::scan
