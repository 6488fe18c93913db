#include "app/mirror/web.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/mirror/file_receiver.hpp"
#include "app/mirror/transport.hpp"

namespace goldsmith::mirror {

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

}  // namespace goldsmith::mirror
