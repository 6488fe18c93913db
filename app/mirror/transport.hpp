// One HTTPS exchange at a time, by libcurl.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::mirror {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;   // "Name: value"
  std::string token;                  // a bearer's; "" = none
  std::chrono::milliseconds time{0};  // until it must be over
};

struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case

  // "" if there is no such header.
  std::string header(std::string_view name) const;
};

// Receives an answer that is not a redirect. If a function returns false, the exchange ends there
// without an error.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // Called once, before the first byte.
  virtual bool begin(const HttpAnswer& answer) = 0;
  virtual bool receive(std::string_view bytes) = 0;
};

// The answer is missing or incomplete. what() is the reason, without the address.
class TransportError : public std::runtime_error {
 public:
  enum class Kind {
    lasting,      // another attempt would fail too
    passing,      // another attempt may succeed: a broken connection, a time-out
    unreachable,  // passing, and there was no connection at all
  };
  TransportError(const std::string& reason, Kind kind) : std::runtime_error(reason), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

class Transport {
 public:
  // `config` must outlive it.
  explicit Transport(const base::UpstreamConfig& config);

  // Sends a GET, over TLS with a certificate that was checked, and follows up to 5 redirects to
  // https addresses; the token goes to the first host alone. Throws TransportError,
  // base::Interrupted, and what the receiver throws.
  HttpAnswer get(const HttpRequest& request, Receiver& receiver);

 private:
  const base::UpstreamConfig& config_;
  std::unique_ptr<void, void (*)(void*)> handle_;  // of libcurl
};

// A time as HTTP writes it (RFC 9110, section 5.6.7); std::nullopt if it is malformed.
std::optional<std::time_t> parse_http_date(const std::string& text);

// What the headers of other people's servers ask for. Pure: they may hold anything.

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

}  // namespace goldsmith::mirror
