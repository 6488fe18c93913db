// Addresses of callers: X-Forwarded-For, which anyone may send, and the configured proxies.
#include "app/limits/rate_windows.hpp"

#include <optional>
#include <stdexcept>

#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

const limits::TrustedProxies& trusted() {
  static const limits::TrustedProxies proxies("10.0.0.0/8, fd00::/8 ::1");
  return proxies;
}

void check_list(std::string_view list, const std::string& address) {
  std::optional<limits::TrustedProxies> proxies;
  if (fuzz::throws<std::invalid_argument>([&] { proxies.emplace(list); })) return;
  const limits::TrustedProxies more(std::string(list) + ",192.0.2.1");
  require(more.contains("192.0.2.1") && more.contains("::ffff:192.0.2.1"),
          "a listed one is trusted");
  require(!proxies->contains(address) || more.contains(address), "and takes nothing away");
}

}  // namespace

FUZZ_TARGET(addresses, "app/limits/rate_windows.cpp") {
  const std::string_view list = fuzz::take_until(input, '\n');
  const std::string address(fuzz::take_until(input, '\n'));
  const std::string forwarded(input);
  check_list(list, address);
  const std::string subject = limits::rate_subject(address);
  const bool has_scope = address.find('%') != std::string::npos;
  require(has_scope || limits::rate_subject(subject) == subject, "a bucket is that of its name");
  require(limits::rate_subject("::ffff:192.0.2.1") == "192.0.2.1", "a mapped address is IPv4");
  require(trusted().caller_address("192.0.2.1", forwarded) == "192.0.2.1",
          "a stranger cannot name another address");
  require(trusted().caller_address("10.0.0.1", forwarded + ", 192.0.2.7") == "192.0.2.7",
          "nor behind a proxy");
  require(
      trusted().caller_address("10.0.0.1", forwarded + ",192.0.2.7 ,fd00::1, ::1") == "192.0.2.7",
      "nor behind three");
}
