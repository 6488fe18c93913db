// Bytes that are not UTF-8 in what becomes JSON. Private to json/.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::json {

// `text` with U+FFFD for each byte that is not part of well-formed UTF-8. A view of `text`, or of
// `storage` if something was replaced.
std::string_view well_formed(std::string_view text, std::string& storage);

}  // namespace goldsmith::json
