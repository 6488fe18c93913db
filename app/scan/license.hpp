// Which license a text is, or names.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::scan {

// Texts longer than this are of no known license.
constexpr std::size_t kLongestLicense = 65'536;

// The SPDX identifier of the license that the comment of a source grants; "" if none is recognised.
std::string license_in(std::string_view comment);

// The SPDX identifier of a license's own text, as in a file LICENSE. The licenses of the FSF do
// not say whether later versions count as well: they are taken for the given one only.
std::string license_of_text(std::string_view text);

}  // namespace goldsmith::scan
