#include "app/worker/forwarded.hpp"

#include <string_view>

namespace goldsmith::worker {
namespace {

constexpr std::size_t kIdDigits = 32;

std::string_view header(const http::Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view() : found->second;
}

bool is_id(std::string_view text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

void apply_forwarded(const access::TrustedProxies& proxies, http::Request& request) {
  const std::string_view id = header(request, "x-goldsmith-front");
  if (is_id(id) && proxies.contains(request.remote_address)) request.front_id = id;
  request.remote_address =
      proxies.caller_address(request.remote_address, header(request, "x-forwarded-for"));
}

}  // namespace goldsmith::worker
