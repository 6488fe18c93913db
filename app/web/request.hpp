// One HTTP request, split and then percent-decoded, once, at the edge (decisions R4, R8).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::web {

// A parameter of a query. Its spelling is not part of what is requested: requests that mean the
// same share a cached response.
struct Parameter {
  enum class Kind {
    text,
    list,  // tokens, whose order and repetition do not matter (decision S1)
    flag   // 1, true, yes and on are true (decision R7)
  };
  std::string_view name;
  Kind kind = Kind::text;
};

// The declared parameters of a query string; all others are ignored. The string is split at `&`
// first, then percent-decoded, with `+` as a space. An empty value counts as absent. Reading a
// parameter that is not declared throws std::logic_error: the declaration is the key of cached
// responses.
class Query {
 public:
  // What counts of a parameter that is repeated: the last value, or of a list all values, joined by
  // commas, which is what the checkboxes of a form send.
  enum class Repeated { last, joined };

  // The query of a route without parameters.
  Query() = default;
  // `declared` must outlive the query.
  Query(std::string_view raw, std::span<const Parameter> declared,
        Repeated repeated = Repeated::last);

  // std::nullopt if absent or empty.
  std::optional<std::string_view> get(std::string_view name) const;
  // An optional sign and digits of any length, clamped to [min, max]. `fallback` if absent or not a
  // number (decision R5).
  long integer(std::string_view name, long fallback, long min, long max) const;
  // True for `1`, `true`, `yes` and `on` in any letter case (decision R7).
  bool flag(std::string_view name) const;

 private:
  std::span<const Parameter> declared_;
  std::vector<std::string> values_;  // one for each declared parameter; "" = absent
};

// The names of parameters that are not declared, decoded, in their order: the first eight.
std::vector<std::string> undeclared_names(std::string_view raw,
                                          std::span<const Parameter> declared);

struct Request {
  std::string id;                     // unique; appears in the worker's log and in nginx's
  std::string front_id;               // of the front that sent it, in each copy (O18); "" = none
  std::string method;                 // as sent
  std::string target;                 // raw: path and query as sent
  std::vector<std::string> segments;  // of the path, percent-decoded after splitting on '/'
  std::string remote_address;         // of the peer, as text
  std::optional<std::string> authorization;  // set even if the header is empty (decision R3)
  std::optional<std::string> if_none_match;
  std::map<std::string, std::string, std::less<>> headers;  // all others, names in lower case

  bool is_head() const { return method == "HEAD"; }
};

// Splits the path of REQUEST_URI at '/', then decodes each segment: "/v1/plugins/a%2Fb" gives "v1",
// "plugins", "a/b". A trailing slash gives an empty last segment.
std::vector<std::string> split_path(std::string_view raw_target);

// What follows the first '?' of REQUEST_URI, for Query; "" if there is none.
std::string_view raw_query(std::string_view raw_target);

// Range requests (RFC 9110, section 14) for a file that nginx serves. nginx reads ranges itself;
// only its refusal can't be used. Its range filter runs after the filter that adds headers, and an
// error page does not take headers back: a 416 of nginx, from a JSON error page or from a proxied
// one, keeps the archive's ETag, Cache-Control, Content-Disposition and X-Svc-Build-Hash, so that a
// cache may store the error as the archive. So a worker refuses before it redirects to the file.

// True if nginx would refuse a Range header for a file of `size` bytes: no range overlaps the file,
// or one is not as nginx reads it, which knows no tabs, no empty elements of a list, and no numbers
// beyond 63 bits. False for units other than bytes: such a header is ignored.
bool is_unsatisfiable_range(std::string_view range, std::uint64_t size);

// What tells versions of a file apart.
struct Validators {
  std::string etag;           // strong; quoted
  std::int64_t modified = 0;  // seconds since 1970
};

// True if nginx gets as far as the Range header of a request for such a file: it has one, no
// condition is answered with 304 or 412, and If-Range holds.
bool looks_at_range(const Request& request, const Validators& file);

}  // namespace goldsmith::web
