// An HTTP response as a value. Handlers return it; only the FastCGI layer writes it to a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/json.hpp"

namespace goldsmith::web {

class CachedResponse;

inline constexpr std::string_view kJsonContentType = "application/json; charset=utf-8";

// A body that is sent from a file without a name, from its beginning.
struct FileBody {
  base::UniqueFd fd;
  std::uint64_t size = 0;
};

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::shared_ptr<const FileBody> file = {};  // if set, the body: `body` is empty
  // If set, the rest of the response: `body` is empty, and `headers` are in addition to its own.
  std::shared_ptr<const CachedResponse> cached = {};
  // Header lines, each with its line end, that all responses of a kind have. Static storage.
  std::string_view fixed_lines = {};
  // It shows what may change at any moment, on another host, too: cached for two seconds at most.
  bool is_provisional = false;
  bool varies_by_key = false;       // the body is another for other keys, and without one
  bool varies_by_language = false;  // the body is another for another Accept-Language
  bool is_taggable = false;         // a 200 gets an entity tag, is compressed and can be cached
  // Why the request was refused, for the log: an error code or the name of a limit; "" = it was
  // not. Points to static storage.
  std::string_view reason = {};
  // Of an error of the API: what its body says, for those who are shown it otherwise.
  json::Object error = {};

  // Replaces the header of that name (case-insensitive) or adds it. Removes CR, LF and other
  // control characters from the value, so that no input can start another header.
  void set_header(std::string_view name, std::string_view value);
  // Null if absent.
  const std::string* header(std::string_view name) const;
};

// The reason phrase of a status that the service sends (RFC 9110, section 15); "" for others, which
// is a valid phrase, too.
std::string_view reason_phrase(int status);

// Adds `NAME: VALUE` and the line end to `text`; without control characters, whatever is in
// `value`.
void append_header_line(std::string& text, std::string_view name, std::string_view value);

// The unchanged object with the content type of JSON.
Response json_response(int status, json::Object object);

// A 200 response with the envelope: adds `status: true` to the object.
Response json_ok(json::Object object);

// 200 with JSON that is already text, the envelope included.
Response json_text(std::string body);

// `attachment` with an ASCII `filename` and, if the name needs it, `filename*` (RFC 6266, decision
// P9).
std::string attachment(std::string_view filename);

// The value of Repr-Digest (RFC 9530) for a SHA-256 in hex.
std::string repr_digest(std::string_view sha256);

// A strong entity tag of the bytes, derived from their SHA-256; quoted.
std::string strong_etag(std::string_view bytes);

// True if an If-None-Match value, `*` or a list of tags, matches `etag`. Uses weak comparison (RFC
// 9110, section 13.1.2).
bool matches_etag(std::string_view if_none_match, std::string_view etag);
// True if an If-Match value, `*` or a list of tags, matches `etag`. Uses strong comparison (RFC
// 9110, section 13.1.1).
bool matches_etag_strongly(std::string_view if_match, std::string_view etag);

// Content coding gzip (RFC 9110, section 8.4.1.3). The workers compress their JSON themselves: a
// cached response is compressed once instead of for every request, and its entity tag stays strong,
// which nginx would weaken if it compressed the response.

// The compressed bytes, deterministic. Throws std::bad_alloc if zlib runs out of memory.
std::string gzip(std::string_view bytes);

// True if an Accept-Encoding value allows gzip, by name or by `*`, with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

// A rendered response that is sent more than once.

// The header lines and the body of a 200 as the bytes that are sent, so that nothing but the
// status, Response::fixed_lines and what differs from request to request (Response::headers) is
// added.
class CachedResponse {
 public:
  // Precondition: a 200 with a body and an ETag.
  explicit CachedResponse(const Response& response);

  // Valid as long as this object, as the others.
  std::string_view etag() const { return whole().substr(etag_, etag_size_); }
  // The lines, the blank line and the body.
  std::string_view whole() const { return bytes_; }
  // The lines and the blank line, without the body, for HEAD.
  std::string_view head() const { return whole().substr(0, body_); }
  // The lines of a 304 and the blank line: without those that describe the body.
  std::string_view head_of_not_modified() const { return head().substr(common_); }

 private:
  std::string bytes_;
  std::size_t common_ = 0;  // where the lines begin that a 304 has, too
  std::size_t body_ = 0;
  std::size_t etag_ = 0;
  std::size_t etag_size_ = 0;
};

}  // namespace goldsmith::web
