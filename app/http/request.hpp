// One HTTP request, decoded once at the edge (decisions R4, R8).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::http {

// Parameters of a query string: split at `&` first, then percent-decoded, with `+` as a space. Of a
// repeated parameter the last value counts. An empty value counts as absent.
class Query {
 public:
  Query() = default;
  // Of a parameter in `joined` all values count, joined by commas: what a form's checkboxes send.
  static Query parse(std::string_view raw, std::span<const std::string_view> joined = {});

  // std::nullopt if absent or empty.
  std::optional<std::string_view> get(std::string_view name) const;
  // An optional sign and digits of any length, clamped to [min, max]. `fallback` if absent or not a
  // number (decision R5).
  long integer(std::string_view name, long fallback, long min, long max) const;
  // True for `1`, `true`, `yes` and `on` in any letter case (decision R7).
  bool flag(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct Request {
  std::string id;                     // unique; appears in the worker's log and in nginx's
  std::string front_id;               // of the front that sent it, in each copy (O18); "" = none
  std::string method;                 // as sent
  std::string target;                 // raw: path and query as sent
  std::vector<std::string> segments;  // of the path, percent-decoded after splitting on '/'
  Query query;
  std::string remote_address;                // of the peer, as text
  std::optional<std::string> authorization;  // set even if the header is empty (decision R3)
  std::optional<std::string> if_none_match;
  std::map<std::string, std::string, std::less<>> headers;  // all others, names in lower case

  bool is_head() const { return method == "HEAD"; }
};

// Splits the path of REQUEST_URI at '/', then decodes each segment: "/v1/plugins/a%2Fb" gives "v1",
// "plugins", "a/b". A trailing slash gives an empty last segment.
std::vector<std::string> split_path(std::string_view raw_target);

// Percent-decodes `text`; queries need `plus_is_space`. A '%' without two hex digits is kept.
std::string percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace goldsmith::http
