// Content coding gzip (RFC 9110, section 8.4.1.3). The workers compress their own JSON: a kept
// response is compressed once instead of on every request, and its entity tag stays strong, which a
// front that compresses would weaken.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::http {

// The coded bytes; the same for the same input.
std::string gzip(std::string_view bytes);

// True when an Accept-Encoding value allows gzip: named, or `*`, with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace goldsmith::http
