// Content coding gzip (RFC 9110, section 8.4.1.3). The workers compress their JSON themselves: a
// cached response is compressed once instead of for every request, and its entity tag stays strong,
// which nginx would weaken if it compressed the response.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::http {

// The compressed bytes, deterministic. Throws std::bad_alloc if zlib runs out of memory.
std::string gzip(std::string_view bytes);

// True if an Accept-Encoding value allows gzip, by name or by `*`, with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace goldsmith::http
