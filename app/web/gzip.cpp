// Compression of responses (response.hpp).
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "app/base/text.hpp"
#include "app/web/response.hpp"

namespace goldsmith::web {

namespace {

constexpr int kLevel = 5;  // within 2 % of 9 for JSON, at a third of the time
// Long texts have to be compressed within the time of a request: this takes half of the time of
// kLevel, for a fifth more bytes. The longest page, that of logs, is below it in each language.
constexpr int kQuickLevel = 1;
constexpr std::size_t kLong = 256U << 10;
constexpr int kGzipWindow = 15 + 16;  // selects the gzip format in zlib

// zlib's state of a quarter of a megabyte, to be used again and again.
class Compressor {
 public:
  Compressor() {
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Compressor() { deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  std::string compress(std::string_view bytes) {
    deflateReset(&stream_);
    deflateParams(&stream_, bytes.size() < kLong ? kLevel : kQuickLevel, Z_DEFAULT_STRATEGY);
    std::string coded(deflateBound(&stream_, bytes.size()), '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(coded.data());
    stream_.avail_out = static_cast<uInt>(coded.size());
    deflate(&stream_, Z_FINISH);  // always fits, thanks to deflateBound
    coded.resize(stream_.total_out);
    return coded;
  }

 private:
  z_stream stream_{};
};

// `q=0` and `q=0.000` mean not acceptable. Everything else is acceptable, even a malformed weight.
bool is_refused(std::string_view parameter) {
  const std::string weight = base::to_lower_ascii(base::trim_ascii(parameter));
  if (!weight.starts_with("q=0")) return false;
  return weight.find_first_not_of("0.", 2) == std::string::npos;
}

}  // namespace

std::string gzip(std::string_view bytes) {
  // Creating it costs more than compressing a usual response.
  static thread_local Compressor compressor;
  return compressor.compress(bytes);
}

bool accepts_gzip(std::string_view accept_encoding) {
  std::optional<bool> named;
  bool any = false;
  for (const std::string_view item : base::split(accept_encoding, ',')) {
    const auto parts = base::split(item, ';');
    const std::string coding = base::to_lower_ascii(base::trim_ascii(parts.front()));
    const bool accepted =
        std::none_of(parts.begin() + 1, parts.end(), [](auto part) { return is_refused(part); });
    if (coding == "gzip" || coding == "x-gzip") named = accepted;
    if (coding == "*") any = accepted;
  }
  return named.value_or(any);
}

}  // namespace goldsmith::web
