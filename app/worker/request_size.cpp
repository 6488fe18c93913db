#include "app/worker/request_size.hpp"

#include <algorithm>

namespace goldsmith::worker {
namespace {

// Bytes.
constexpr std::size_t kLongestTarget = 8192;
constexpr std::size_t kLongestHeader = 8192;
constexpr std::size_t kAllHeaders = 32'768;

class HeaderSizes {
 public:
  void add(std::size_t bytes) {
    longest_ = std::max(longest_, bytes);
    all_ += bytes;
  }
  bool too_large() const { return longest_ > kLongestHeader || all_ > kAllHeaders; }

 private:
  std::size_t longest_ = 0;
  std::size_t all_ = 0;
};

}  // namespace

std::optional<http::Error> too_large(const http::Request& request) {
  if (request.target.size() > kLongestTarget) return http::Error::uri_too_long;
  HeaderSizes sizes;
  for (const auto& [name, value] : request.headers) sizes.add(name.size() + value.size());
  sizes.add(request.authorization.value_or("").size());
  sizes.add(request.if_none_match.value_or("").size());
  if (sizes.too_large()) return http::Error::headers_too_large;
  return std::nullopt;
}

}  // namespace goldsmith::worker
