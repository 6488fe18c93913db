#include "app/mirror/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>

#include <curl/curl.h>
#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::mirror {

namespace {

constexpr long kMaxRedirects = 5;
constexpr long kMinRate = 1024;  // bytes a second; less for too long is a stall

struct FreeList {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void require(bool done) {
  if (!done) throw std::runtime_error("libcurl can't be set up");
}

template <typename Value>
void set(CURL* handle, CURLoption option, Value value) {
  require(::curl_easy_setopt(handle, option, value) == CURLE_OK);
}

HeaderList make_headers(const std::vector<std::string>& headers) {
  HeaderList list;
  for (const std::string& header : headers) {
    curl_slist* const longer = ::curl_slist_append(list.get(), header.c_str());
    require(longer != nullptr);
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

// What libcurl calls back with. No exception may pass through it: the first one waits here.
class Transfer {
 public:
  Transfer(CURL* handle, Receiver& receiver) : handle_(handle), receiver_(receiver) {}

  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) answer_.headers.clear();  // a redirect's, or a 100's, are over
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = base::to_lower_ascii(line.substr(0, colon));
    answer_.headers[name] = base::trim_ascii(line.substr(colon + 1));
  }

  // False ends the transfer.
  bool take_body(std::string_view bytes) noexcept {
    try {
      if (begin() && receiver_.receive(bytes)) return true;
    } catch (...) {
      failure_ = std::current_exception();
    }
    ended_ = true;
    return false;
  }

  HttpAnswer finish() {
    if (failure_) std::rethrow_exception(failure_);
    begin();
    return std::move(answer_);
  }

  bool ended_by_receiver() const { return ended_; }

 private:
  bool begin() {
    if (begun_) return true;
    begun_ = true;
    ::curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &answer_.status);
    return receiver_.begin(answer_);
  }

  CURL* handle_;
  Receiver& receiver_;
  HttpAnswer answer_;
  std::exception_ptr failure_;
  bool begun_ = false;
  bool ended_ = false;
};

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  static_cast<Transfer*>(transfer)->take_header({bytes, size * count});
  return size * count;
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  return static_cast<Transfer*>(transfer)->take_body({bytes, size * count}) ? size * count : 0;
}

int on_progress(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return base::is_interrupted() ? 1 : 0;
}

// `detail`: what libcurl says beyond the code. `ca_option`: see base::UpstreamConfig.
TransportError describe(CURLcode code, const std::string& detail, const std::string& ca_option) {
  using Kind = TransportError::Kind;
  switch (code) {
    case CURLE_TOO_MANY_REDIRECTS:
      return {fmt::format("redirects more than {} times", kMaxRedirects), Kind::lasting};
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {"leads to an address that is not https", Kind::lasting};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {"its certificate is not trusted (" + detail +
                  "); if an authority of your own has signed it, " + ca_option + " names it",
              Kind::lasting};
    case CURLE_SSL_CACERT_BADFILE:
      return {ca_option + " can't be used: " + detail, Kind::lasting};
    case CURLE_SSL_CERTPROBLEM:
      return {"this host's certificate or its key can't be used: " + detail, Kind::lasting};
    case CURLE_OPERATION_TIMEDOUT:
      return {"took too long: " + detail, Kind::passing};
    case CURLE_PARTIAL_FILE:
      return {"the connection ended in the middle", Kind::passing};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return {detail, Kind::unreachable};
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return {detail, Kind::passing};
    default:
      return {detail, Kind::lasting};
  }
}

void set_security(CURL* handle, const base::UpstreamConfig& config) {
  set(handle, CURLOPT_PROTOCOLS_STR, "https");
  set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  set(handle, CURLOPT_FOLLOWLOCATION, 1L);
  set(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  set(handle, CURLOPT_UNRESTRICTED_AUTH, 0L);
  set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!config.ca_file.empty()) set(handle, CURLOPT_CAINFO, config.ca_file.c_str());
  if (config.certificate.empty()) return;
  set(handle, CURLOPT_SSLCERT, config.certificate.c_str());
  set(handle, CURLOPT_SSLKEY, config.key.c_str());
}

void set_times(CURL* handle, const base::UpstreamConfig& config, std::chrono::milliseconds time) {
  set(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(config.connect_timeout.count()));
  set(handle, CURLOPT_LOW_SPEED_LIMIT, kMinRate);
  set(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(config.stall_timeout.count()));
  set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(time.count()));
}

void set_callbacks(CURL* handle, Transfer& transfer) {
  set(handle, CURLOPT_USERAGENT, "goldsmith/" GOLDSMITH_VERSION);
  set(handle, CURLOPT_HEADERFUNCTION, on_header);
  set(handle, CURLOPT_HEADERDATA, &transfer);
  set(handle, CURLOPT_WRITEFUNCTION, on_body);
  set(handle, CURLOPT_WRITEDATA, &transfer);
  set(handle, CURLOPT_NOPROGRESS, 0L);
  set(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
}

using std::chrono::seconds;

constexpr seconds kLongestWait = std::chrono::days{1};
constexpr seconds kLastQuota = std::chrono::days{36525};  // a hundred years

std::optional<seconds> parse_seconds(const std::string& text) {
  const auto number = base::parse_number<std::int64_t>(text);
  return number && *number >= 0 ? std::optional(seconds(*number)) : std::nullopt;
}

}  // namespace

Transport::Transport(const base::UpstreamConfig& config)
    : config_(config), handle_(nullptr, ::curl_easy_cleanup) {
  static const CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  require(ready == CURLE_OK);
  handle_.reset(::curl_easy_init());
  require(handle_ != nullptr);
}

HttpAnswer Transport::get(const HttpRequest& request, Receiver& receiver) {
  base::check_interruption();
  CURL* const handle = handle_.get();
  ::curl_easy_reset(handle);  // connections stay open for the next one
  const HeaderList headers = make_headers(request.headers);
  Transfer transfer(handle, receiver);
  std::array<char, CURL_ERROR_SIZE> detail{};
  set_security(handle, config_);
  set_times(handle, config_, request.time);
  set(handle, CURLOPT_URL, request.url.c_str());
  set(handle, CURLOPT_HTTPHEADER, headers.get());
  if (!request.token.empty()) {
    set(handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(handle, CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  }
  set(handle, CURLOPT_ERRORBUFFER, detail.data());
  set_callbacks(handle, transfer);
  const CURLcode code = ::curl_easy_perform(handle);
  set(handle, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  base::check_interruption();
  if (code != CURLE_OK && !transfer.ended_by_receiver()) {
    throw describe(code, detail[0] != '\0' ? detail.data() : ::curl_easy_strerror(code),
                   config_.ca_option);
  }
  return transfer.finish();
}

std::string HttpAnswer::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<std::time_t> parse_http_date(const std::string& text) {
  const std::time_t time = ::curl_getdate(text.c_str(), nullptr);
  return time < 0 ? std::nullopt : std::optional(time);
}

std::string_view origin_of(std::string_view url) { return url.substr(0, url.find('/', 8)); }

std::string next_page(const HttpAnswer& answer, const std::string& url) {
  const std::string links = answer.header("link");
  const std::size_t relation = links.find("rel=\"next\"");
  if (relation == std::string::npos) return "";
  const std::size_t begin = links.rfind('<', relation);
  const std::size_t end = links.rfind('>', relation);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string next = links.substr(begin + 1, end - begin - 1);
  if (origin_of(next) != origin_of(url)) {
    throw FetchError(url + ": names a next page on another server: " + next);
  }
  return next;
}

std::optional<seconds> asked_wait(const HttpAnswer& answer, domain::Timestamp now) {
  const std::string text = answer.header("retry-after");
  std::optional<seconds> wait = parse_seconds(text);
  if (const auto time = wait ? std::nullopt : parse_http_date(text)) {
    wait = seconds(*time) - now.time_since_epoch();
  }
  if (!wait) return std::nullopt;
  return std::clamp(*wait, seconds{0}, kLongestWait);
}

std::optional<domain::Timestamp> quota_end(const HttpAnswer& answer, domain::Timestamp now) {
  std::optional<domain::Timestamp> end;
  if (const auto wait = asked_wait(answer, now)) end = now + *wait;
  if (answer.header("x-ratelimit-remaining") == "0") {
    if (const auto reset = parse_seconds(answer.header("x-ratelimit-reset"))) {
      end = std::min(domain::Timestamp(*reset), now + kLastQuota);
    }
  }
  return end;
}

}  // namespace goldsmith::mirror
