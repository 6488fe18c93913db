// One HTTP response as a value. Handlers return it; only the FastCGI layer writes it to a stream.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/json/value.hpp"

namespace goldsmith::http {

inline constexpr std::string_view kJsonContentType = "application/json; charset=utf-8";

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // Replaces a header of that name (case-insensitive) or adds it. CR, LF and other control
  // characters in the value are dropped: nothing a client sends can start a new header.
  void set_header(std::string_view name, std::string_view value);
  // Null when absent.
  const std::string* header(std::string_view name) const;
};

// `value` without control characters, as set_header() keeps it.
std::string header_text(std::string_view value);

// The object as it is, with the content type of JSON.
Response json_response(int status, json::Object object);

// 200 with `application/json; charset=utf-8`; adds `status: true` to the object (envelope).
Response json_ok(json::Object object);

// `attachment` with an ASCII `filename` and, where the name needs it, RFC 6266 `filename*`.
std::string attachment(std::string_view filename);

// A strong entity tag of the bytes: quoted, derived from their SHA-256.
std::string strong_etag(std::string_view bytes);

// If-None-Match (RFC 9110, section 13.1.2): `*` or a list of tags, compared weakly.
bool matches_etag(std::string_view if_none_match, std::string_view etag);

}  // namespace goldsmith::http
