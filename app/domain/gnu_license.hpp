// Which of the GNU licenses a notice or a title names. `words`: in lower case, with one blank
// between each two, and without other signs than `.` and `-`.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::domain {

// The SPDX identifier, or two with OR between them; "" if it names none.
std::string gnu_license_of_notice(std::string_view words);
// Of the text of a license, which begins with its title.
std::string gnu_license_of_title(std::string_view words);

}  // namespace goldsmith::domain
