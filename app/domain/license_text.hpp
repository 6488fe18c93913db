// Which license a text is, or names, and who grants it (decision P30). Texts are those of
// strangers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace goldsmith::domain {

// Texts longer than this are of no known license.
constexpr std::size_t kLongestLicense = 65'536;

// The SPDX identifier of the license that the comment of a source grants; "" if none is recognised.
std::string license_in(std::string_view comment);

// The SPDX identifier of a license's own text, as in a file LICENSE; "" if none is recognised. A
// text is compared word by word, as the matching guidelines of SPDX have it: without titles,
// copyright notices, numbers of paragraphs, or what follows the end of the terms. One that adds
// conditions is another license. The licenses of the FSF do not say whether later versions count
// as well: they are taken for the given one only.
std::string license_of_text(std::string_view text);

// Who grants it, as the first copyright notice says that fills a line and names somebody; on one
// line, "" if none does. The FSF, whose name is in the texts of its licenses, is nobody.
std::string license_holder(std::string_view text);

// The texts that are known, as of the packages that the build takes them from
// (embed_license_texts.py). An identifier may have several.
struct LicenseText {
  std::string_view id;
  std::string_view text;  // {{}} stands for a name
};
std::span<const LicenseText> license_texts();

}  // namespace goldsmith::domain
