#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <exception>

#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"
#include "app/upstream/transport.hpp"

namespace goldsmith::upstream {
namespace {

constexpr long kMaxRedirects = 5;
constexpr long kMinRate = 1024;  // bytes a second; less for too long is a stall

struct FreeHandle {
  void operator()(CURL* handle) const { ::curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using Handle = std::unique_ptr<CURL, FreeHandle>;
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void require(bool done) {
  if (!done) throw std::runtime_error("libcurl can't be set up");
}

template <typename Value>
void set(const Handle& handle, CURLoption option, Value value) {
  require(::curl_easy_setopt(handle.get(), option, value) == CURLE_OK);
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
  Transfer(const Handle& handle, Receiver& receiver) : handle_(handle), receiver_(receiver) {}

  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) answer_.headers.clear();  // a redirect's, or a 100's, are over
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string name = sys::to_lower_ascii(line.substr(0, colon));
    answer_.headers[name] = sys::trim_ascii(line.substr(colon + 1));
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
    ::curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &answer_.status);
    return receiver_.begin(answer_);
  }

  const Handle& handle_;
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
  return sys::is_interrupted() ? 1 : 0;
}

// `detail`: what libcurl says beyond the code. `ca_option`: see sys::UpstreamConfig.
TransportError describe(CURLcode code, const std::string& detail, const std::string& ca_option) {
  using Kind = TransportError::Kind;
  switch (code) {
    case CURLE_TOO_MANY_REDIRECTS:
      return {"redirects more than " + std::to_string(kMaxRedirects) + " times", Kind::lasting};
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

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(const sys::UpstreamConfig& config) : config_(config) {
    static const CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    require(ready == CURLE_OK);
    handle_.reset(::curl_easy_init());
    require(handle_ != nullptr);
  }

  HttpAnswer get(const HttpRequest& request, Receiver& receiver) override {
    sys::check_interruption();
    ::curl_easy_reset(handle_.get());  // connections stay open for the next one
    const HeaderList headers = make_headers(request.headers);
    Transfer transfer(handle_, receiver);
    std::array<char, CURL_ERROR_SIZE> detail{};
    set_security();
    set_times(request.time);
    set(handle_, CURLOPT_URL, request.url.c_str());
    set(handle_, CURLOPT_HTTPHEADER, headers.get());
    if (!request.token.empty()) {
      set(handle_, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
      set(handle_, CURLOPT_XOAUTH2_BEARER, request.token.c_str());
    }
    set(handle_, CURLOPT_ERRORBUFFER, detail.data());
    set_callbacks(transfer);
    const CURLcode code = ::curl_easy_perform(handle_.get());
    set(handle_, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    sys::check_interruption();
    if (code != CURLE_OK && !transfer.ended_by_receiver()) {
      throw describe(code, detail[0] != '\0' ? detail.data() : ::curl_easy_strerror(code),
                     config_.ca_option);
    }
    return transfer.finish();
  }

 private:
  void set_security() {
    set(handle_, CURLOPT_PROTOCOLS_STR, "https");
    set(handle_, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    set(handle_, CURLOPT_FOLLOWLOCATION, 1L);
    set(handle_, CURLOPT_MAXREDIRS, kMaxRedirects);
    set(handle_, CURLOPT_UNRESTRICTED_AUTH, 0L);
    set(handle_, CURLOPT_SSL_VERIFYPEER, 1L);
    set(handle_, CURLOPT_SSL_VERIFYHOST, 2L);
    set(handle_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!config_.ca_file.empty()) set(handle_, CURLOPT_CAINFO, config_.ca_file.c_str());
    if (config_.certificate.empty()) return;
    set(handle_, CURLOPT_SSLCERT, config_.certificate.c_str());
    set(handle_, CURLOPT_SSLKEY, config_.key.c_str());
  }

  void set_times(std::chrono::milliseconds time) {
    set(handle_, CURLOPT_CONNECTTIMEOUT, static_cast<long>(config_.connect_timeout.count()));
    set(handle_, CURLOPT_LOW_SPEED_LIMIT, kMinRate);
    set(handle_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(config_.stall_timeout.count()));
    set(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(time.count()));
  }

  void set_callbacks(Transfer& transfer) {
    set(handle_, CURLOPT_USERAGENT, "goldsmith/" GOLDSMITH_VERSION);
    set(handle_, CURLOPT_HEADERFUNCTION, on_header);
    set(handle_, CURLOPT_HEADERDATA, &transfer);
    set(handle_, CURLOPT_WRITEFUNCTION, on_body);
    set(handle_, CURLOPT_WRITEDATA, &transfer);
    set(handle_, CURLOPT_NOPROGRESS, 0L);
    set(handle_, CURLOPT_XFERINFOFUNCTION, on_progress);
  }

  const sys::UpstreamConfig& config_;
  Handle handle_;
};

}  // namespace

std::string HttpAnswer::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::unique_ptr<Transport> make_transport(const sys::UpstreamConfig& config) {
  return std::make_unique<CurlTransport>(config);
}

std::optional<std::time_t> parse_http_date(const std::string& text) {
  const std::time_t time = ::curl_getdate(text.c_str(), nullptr);
  return time < 0 ? std::nullopt : std::optional(time);
}

}  // namespace goldsmith::upstream
