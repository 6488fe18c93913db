// What the headers of other people's servers ask for. Pure: they may hold anything.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/timestamp.hpp"
#include "app/upstream/transport.hpp"

namespace goldsmith::upstream {

// "https://host:port".
std::string_view origin_of(std::string_view url);

// The address with rel="next" in Link (RFC 8288); "" if there is none. Throws FetchError if it
// leads to another server than `url`.
std::string next_page(const HttpAnswer& answer, const std::string& url);

// Retry-After, in seconds or as a time: from 0 to a day.
std::optional<std::chrono::seconds> asked_wait(const HttpAnswer& answer, domain::Timestamp now);

// When the server of an API takes requests again. Within a hundred years, so that it can be
// shown.
std::optional<domain::Timestamp> quota_end(const HttpAnswer& answer, domain::Timestamp now);

}  // namespace goldsmith::upstream
