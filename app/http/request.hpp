// One HTTP request, decoded once at the edge (decisions R4, R8).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::http {

// Parameters of a query string: split on `&` first, then percent-decoded, `+` is a space; a
// repeated name: the last one wins; present but empty counts as absent.
class Query {
 public:
  Query() = default;
  static Query parse(std::string_view raw);

  // Nothing when absent or empty.
  std::optional<std::string_view> get(std::string_view name) const;
  // Optional sign and digits, clamped to the bounds however long; else `fallback` (decision R5).
  long integer(std::string_view name, long fallback, long lowest, long highest) const;
  // `1 true yes on` in any letter case (decision R7).
  bool flag(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct Request {
  std::string id;                     // unique; in the log line and in nginx's
  std::string method;                 // as sent
  std::string target;                 // raw: path and query as sent
  std::vector<std::string> segments;  // of the path, percent-decoded after splitting on '/'
  Query query;
  std::string remote_address;                // the peer's, text form
  std::optional<std::string> authorization;  // present and empty is present (decision R3)
  std::optional<std::string> if_none_match;
  std::map<std::string, std::string, std::less<>> headers;  // others, names in lower case

  bool is_head() const { return method == "HEAD"; }
};

// Splits REQUEST_URI's path on '/', then decodes each piece; "/v1/plugins/a%2Fb" gives v1, plugins,
// "a/b". A trailing slash gives a last empty piece.
std::vector<std::string> split_path(std::string_view raw_target);

// Percent-decoding; `plus_is_space` in queries. A stray '%' stays as it is.
std::string percent_decode(std::string_view text, bool plus_is_space = false);

// Percent-encodes all but RFC 3986's unreserved characters.
std::string percent_encode(std::string_view text);

}  // namespace goldsmith::http
