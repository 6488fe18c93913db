#include "app/mirror/web.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/mirror/transport.hpp"

namespace goldsmith::mirror {
namespace {

// The body of a download on its way to the disk, over as many transfers as it takes.
class FileReceiver final : public Receiver {
 public:
  // `limit`: the largest file that is accepted, in bytes.
  FileReceiver(const DownloadRequest& request, std::uint64_t limit, const OnProgress& on_progress);

  // Headers that request only the rest of a partial file, if its server can prove that the file is
  // still the same (RFC 9110, section 13.1.5) or its digest will (DownloadRequest::continues).
  std::vector<std::string> resume_headers() const;

  bool begin(const HttpAnswer& answer) override;
  bool receive(std::string_view bytes) override;

  // Discards what was received: the next transfer starts from the beginning.
  void start_over();

  std::uint64_t size() const { return size_; }
  // The answer that the file began with.
  const HttpAnswer& source() const { return source_; }
  // Whether the last answer was the file, or a part of it that fits.
  bool fits() const { return fits_; }

 private:
  void check_total(std::uint64_t total) const;
  [[noreturn]] void refuse(const std::string& reason) const;

  const DownloadRequest& request_;
  std::uint64_t limit_;
  const OnProgress& on_progress_;
  base::UniqueFd fd_;
  HttpAnswer source_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;  // announced by the server; 0 = unknown
  bool fits_ = false;
};

}  // namespace

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::size_t kMaxDocumentSize = 32U << 20;
constexpr milliseconds kMaxPause = seconds{60};

class DocumentReceiver final : public Receiver {
 public:
  explicit DocumentReceiver(const std::string& url) : url_(url) {}

  bool begin(const HttpAnswer& answer) override {
    body_.clear();
    return answer.status == 200;
  }
  bool receive(std::string_view bytes) override {
    if (bytes.size() > kMaxDocumentSize - body_.size()) {
      throw FetchError(url_ + ": has more than " + base::binary_size(kMaxDocumentSize));
    }
    body_ += bytes;
    return true;
  }
  std::string take() { return std::move(body_); }

 private:
  const std::string& url_;
  std::string body_;
};

class NoBody final : public Receiver {
 public:
  bool begin(const HttpAnswer&) override { return false; }
  bool receive(std::string_view) override { return false; }
};

std::optional<domain::Timestamp> time_of(const std::string& http_date) {
  const auto time = parse_http_date(http_date);
  return time ? std::optional(domain::Timestamp(seconds(*time))) : std::nullopt;
}

bool is_etag(std::string_view stamp) { return stamp.starts_with('"') || stamp.starts_with("W/"); }

}  // namespace

Document Web::document(const std::string& url, const std::string& etag, const std::string& token) {
  Document document;
  attempt(url, [&](milliseconds time_left) -> std::optional<RetryableFailure> {
    HttpRequest http{url, {}, token, time_left};
    http.headers.push_back("Accept: application/json");
    if (!etag.empty()) http.headers.push_back("If-None-Match: " + etag);
    DocumentReceiver receiver(url);
    const HttpAnswer answer = transport_.get(http, receiver);
    check_access(url, token, answer);
    document.unchanged = answer.status == 304 && !etag.empty();
    if (answer.status != 200 && !document.unchanged) return judge(url, answer);
    document.body = receiver.take();
    document.etag = answer.header("etag");
    document.next_url = next_page(answer, url);
    return std::nullopt;
  });
  return document;
}

Download Web::download(const DownloadRequest& request, const OnProgress& on_progress) {
  FileReceiver receiver(request, config_.download_bytes, on_progress);
  attempt(request.url, [&](milliseconds time_left) -> std::optional<RetryableFailure> {
    const std::uint64_t before = receiver.size();
    const HttpAnswer answer = transport_.get(
        {request.url, receiver.resume_headers(), request.token, time_left}, receiver);
    if (before > 0 && (answer.status == 416 || (answer.status == 206 && !receiver.fits()))) {
      receiver.start_over();
      return RetryableFailure{"does not go on where the transfer broke", {}, false};
    }
    if (request.url.starts_with(config_.github_api + "/repos/")) {
      check_access(request.url, request.token, answer);
    }
    if (!receiver.fits()) return judge(request.url, answer);
    if (receiver.size() < request.size) {
      return RetryableFailure{
          fmt::format("ended after {} of {} bytes", receiver.size(), request.size), {}, false};
    }
    return std::nullopt;
  });
  if (receiver.size() == 0) throw FetchError(request.url + ": is empty");
  const HttpAnswer& source = receiver.source();
  const std::string etag = source.header("etag");
  std::optional<domain::Timestamp> time = time_of(source.header("last-modified"));
  if (time) time = not_later_than_now(*time);
  return {receiver.size(), base::sha256_of_file(request.file),
          is_etag(etag) ? etag : source.header("last-modified"), time};
}

bool Web::is_unchanged(const std::string& url, const std::string& stamp) {
  if (stamp.empty()) return false;
  bool unchanged = false;
  attempt(url, [&](milliseconds time_left) -> std::optional<RetryableFailure> {
    const std::string condition = is_etag(stamp) ? "If-None-Match: " : "If-Modified-Since: ";
    NoBody receiver;
    const HttpAnswer answer = transport_.get({url, {condition + stamp}, "", time_left}, receiver);
    unchanged = answer.status == 304;
    if (unchanged || answer.status == 200) return std::nullopt;
    return judge(url, answer);
  });
  return unchanged;
}

// A server that was out of reach a moment ago is tried once: who mirrors everything need not wait
// for it at each component.
void Web::attempt(const std::string& url, const Attempt& attempt) {
  const std::string server(origin_of(url));
  const std::uint64_t retries = unreachable_.contains(server) ? 0 : config_.retries;
  const auto deadline = steady_clock::now() + config_.total_timeout;
  for (std::uint64_t tries = 1;; ++tries) {
    const std::optional<RetryableFailure> setback = try_once(url, attempt, deadline);
    if (setback && setback->unreachable) {
      unreachable_.insert(server);
    } else {
      unreachable_.erase(server);
    }
    if (!setback) return;
    const milliseconds pause = std::max(setback->wait, pause_after(tries));
    if (tries > retries || steady_clock::now() + pause >= deadline) {
      throw FetchError(url + ": " + setback->reason +
                       (tries > 1 ? fmt::format(" (tried {} times)", tries) : ""));
    }
    base::interruptible_sleep(pause);
  }
}

std::optional<Web::RetryableFailure> Web::try_once(const std::string& url, const Attempt& attempt,
                                                   steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  try {
    return attempt(std::max(left, milliseconds{1}));
  } catch (const TransportError& error) {
    if (error.kind() == TransportError::Kind::lasting) throw FetchError(url + ": " + error.what());
    return RetryableFailure{error.what(), {}, error.kind() == TransportError::Kind::unreachable};
  }
}

// Twice as long each time; by chance shorter, so that hosts with one schedule do not return as one.
milliseconds Web::pause_after(std::uint64_t tries) {
  const auto doublings = std::min<std::uint64_t>(tries - 1, 16);
  const milliseconds max_pause =
      std::min(kMaxPause, config_.retry_pause * (std::int64_t{1} << doublings));
  return milliseconds(std::uniform_int_distribution<std::int64_t>(max_pause.count() / 2,
                                                                  max_pause.count())(random_));
}

// Throws unless another try may go better.
std::optional<Web::RetryableFailure> Web::judge(const std::string& url,
                                                const HttpAnswer& answer) const {
  const std::string status = std::to_string(answer.status);
  if (answer.status == 404 || answer.status == 410 || answer.status == 451) {
    throw NotFound(url + ": there is no such file (" + status + ")");
  }
  if (answer.status != 408 && answer.status != 429 && answer.status < 500) {
    throw FetchError(url + ": the server refuses it with status " + status);
  }
  const milliseconds wait = asked_wait(answer, clock_.seconds()).value_or(seconds{0});
  if (wait > kMaxPause) {
    throw FetchError(url + ": the server answers " + status + " and wants no request before " +
                     domain::format_timestamp(clock_.seconds() + std::chrono::ceil<seconds>(wait)) +
                     " UTC");
  }
  return RetryableFailure{"the server answers " + status, wait, false};
}

// What an API says beyond the status: who may ask, and how often.
void Web::check_access(const std::string& url, const std::string& token,
                       const HttpAnswer& answer) const {
  if (answer.status == 401 && !token.empty()) {
    throw FetchError(url + ": the token in mirror.github_token_file is not accepted (401)");
  }
  if (answer.status != 403 && answer.status != 429) return;
  const auto until = quota_end(answer, clock_.seconds());
  if (!until) return;
  throw QuotaExceeded(
      std::string(origin_of(url)) + ": the rate limit is used up until " +
          domain::format_timestamp(*until) + " UTC" +
          (token.empty() ? "; a token raises it, see mirror.github_token_file" : ""),
      *until);
}

namespace {

constexpr const char* kWebPage = "is a web page (HTML), not a file of a release";

// "bytes FIRST-LAST/TOTAL".
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t total = 0;
};
std::optional<ContentRange> parse_content_range(std::string_view text) {
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos) return std::nullopt;
  const auto first = base::parse_number(text.substr(0, dash));
  const auto total = base::parse_number(text.substr(slash + 1));
  if (!first || !total) return std::nullopt;
  return ContentRange{*first, *total};
}

bool looks_like_html(std::string_view start) {
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const std::string text = base::to_lower_ascii(base::trim_ascii(start.substr(0, 512)));
  return text.starts_with("<!doctype html") || text.starts_with("<html") ||
         text.starts_with("<head");
}

// What proves that a later answer is about the same bytes; a weak ETag does not.
std::string strong_validator(const HttpAnswer& answer) {
  const std::string etag = answer.header("etag");
  return etag.starts_with('"') ? etag : answer.header("last-modified");
}

}  // namespace

FileReceiver::FileReceiver(const DownloadRequest& request, std::uint64_t limit,
                           const OnProgress& on_progress)
    : request_(request),
      limit_(limit),
      on_progress_(on_progress),
      fd_(base::open_file(request.file, O_WRONLY | O_CREAT | (request.continues ? 0 : O_TRUNC),
                          0600)) {
  if (!request.continues) return;
  const off_t end = ::lseek(fd_.get(), 0, SEEK_END);
  if (end < 0) throw base::FileError(request_.file, "can't be examined", errno);
  size_ = static_cast<std::uint64_t>(end);
  const bool is_too_long = size_ > limit_ || (request_.size > 0 && size_ >= request_.size);
  if (is_too_long) start_over();
}

std::vector<std::string> FileReceiver::resume_headers() const {
  if (size_ == 0) return {};
  const std::string range = fmt::format("Range: bytes={}-", size_);
  if (request_.continues) return {range};
  const std::string validator = strong_validator(source_);
  if (validator.empty()) return {};
  return {range, "If-Range: " + validator};
}

void FileReceiver::start_over() {
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
    throw base::FileError(request_.file, "can't be emptied", errno);
  }
  size_ = 0;
  total_ = 0;
  source_ = {};
}

bool FileReceiver::begin(const HttpAnswer& answer) {
  fits_ = false;
  if (answer.status == 206) {
    const auto range = parse_content_range(answer.header("content-range"));
    fits_ = range && range->first == size_ && range->total >= size_;
    if (fits_) total_ = range->total;
  } else if (answer.status == 200) {
    if (base::to_lower_ascii(answer.header("content-type")).starts_with("text/html")) {
      refuse(kWebPage);
    }
    start_over();
    source_ = answer;
    total_ = base::parse_number(answer.header("content-length")).value_or(0);
    fits_ = true;
  }
  if (fits_) check_total(total_);
  return fits_;
}

bool FileReceiver::receive(std::string_view bytes) {
  if (size_ == 0 && looks_like_html(bytes)) refuse(kWebPage);
  check_total(size_ + bytes.size());
  base::write_all(fd_.get(), bytes, request_.file);
  size_ += bytes.size();
  if (on_progress_) on_progress_(size_, total_ > 0 ? total_ : request_.size);
  return true;
}

void FileReceiver::check_total(std::uint64_t total) const {
  if (total > limit_) {
    refuse("has more than " + base::binary_size(limit_) +
           "; mirror.download_mb sets how much a file may have");
  }
  if (request_.size > 0 && total > request_.size) {
    refuse(fmt::format("has more than the {} bytes that its release names", request_.size));
  }
}

void FileReceiver::refuse(const std::string& reason) const {
  throw FetchError(request_.url + ": " + reason);
}

}  // namespace goldsmith::mirror
