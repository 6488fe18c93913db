// Documents and files from other people's servers: temporary failures are retried, broken transfers
// resumed, and answers that are too large, too slow or of the wrong kind are refused.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/domain/timestamp.hpp"
#include "app/mirror/transport.hpp"

namespace goldsmith::mirror {

// The document or file is unavailable; what() names the address and the reason.
class FetchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The server has nothing at the address (404), or not any more (410, 451).
class NotFound : public FetchError {
 public:
  using FetchError::FetchError;
};

// The server wants no more requests for a while.
class QuotaExceeded : public FetchError {
 public:
  QuotaExceeded(const std::string& what, domain::Timestamp until)
      : FetchError(what), until_(until) {}
  // When it takes requests again.
  domain::Timestamp until() const { return until_; }

 private:
  domain::Timestamp until_;
};

struct Document {
  bool unchanged = false;  // the local copy is current; the rest is empty
  std::string body;
  std::string etag;
  std::string next_url;  // of a list in pages (RFC 8288, rel="next"); "" = this is the last
};

struct DownloadRequest {
  std::string url;
  std::filesystem::path file;  // is created, or replaced
  std::uint64_t size = 0;      // that it must have; 0 = unknown
  // Continues a file that is there already. Only for content whose digest is known: nothing else
  // tells whether its beginning came from another file.
  bool continues = false;
  std::string token = {};  // for the first server alone; "" = none
};

struct Download {
  std::uint64_t size = 0;
  std::string sha256;
  std::string stamp;                               // ETag, else Last-Modified, else ""
  std::optional<domain::Timestamp> last_modified;  // never later than now; absent = unknown
};

// How much of a file there is, and of how much; 0 = unknown.
using OnProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Functions throw FetchError, base::FileError and base::Interrupted.
class Web {
 public:
  // Both must outlive it.
  Web(const base::UpstreamConfig& config, const base::Clock& clock)
      : transport_(config), config_(config), clock_(clock) {}

  // JSON, at most 32 MiB. `etag`: of the local copy; "" = none, as of the token. Throws
  // QuotaExceeded if the server names the time of the next request.
  Document document(const std::string& url, const std::string& etag, const std::string& token);

  // An archive or its signature. Refused: a file larger than the configured limit, of another size
  // than requested, empty, or an HTML page.
  Download download(const DownloadRequest& request, const OnProgress& on_progress = {});

  // Asks whether a file is unchanged since it had that stamp; false if the server can't tell.
  bool is_unchanged(const std::string& url, const std::string& stamp);

  // What others say of the time of something, at most the time of this host: one in the future
  // would be the newest of all for as long.
  domain::Timestamp not_later_than_now(domain::Timestamp time) const {
    return std::min(time, clock_.seconds());
  }

 private:
  // Why an attempt failed, if another one may succeed.
  struct RetryableFailure {
    std::string reason;
    std::chrono::milliseconds wait{0};  // that the server asked for
    bool unreachable = false;
  };
  using Attempt =
      std::function<std::optional<RetryableFailure>(std::chrono::milliseconds time_left)>;

  void attempt(const std::string& url, const Attempt& attempt);
  static std::optional<RetryableFailure> try_once(const std::string& url, const Attempt& attempt,
                                                  std::chrono::steady_clock::time_point deadline);
  std::chrono::milliseconds pause_after(std::uint64_t tries);
  std::optional<RetryableFailure> judge(const std::string& url, const HttpAnswer& answer) const;
  void check_access(const std::string& url, const std::string& token,
                    const HttpAnswer& answer) const;

  Transport transport_;
  const base::UpstreamConfig& config_;
  const base::Clock& clock_;
  std::set<std::string, std::less<>> unreachable_;  // servers, until one answers again
  std::mt19937 random_{std::random_device()()};
};

}  // namespace goldsmith::mirror
