// Callers' addresses: IPv6 callers are counted by their /64 network (decision R10), and forwarding
// headers count from listed proxies alone (decision R14).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/network_v6.hpp>

namespace goldsmith::access {

// What a caller is counted as: an IPv4 address, or the /64 of an IPv6 address; an IPv4-mapped IPv6
// address is the IPv4 one. Text that is no address stays as it is: it still has its own bucket.
std::string rate_subject(std::string_view address);

// The network of so many bits that an address is in, an IPv4-mapped one as IPv4. std::nullopt for
// text that is no address, and for a family without a length.
std::optional<std::string> network_of(std::string_view address,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits);

// Addresses and networks (`10.0.0.0/8`, `::1`) whose forwarded header is believed.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // Separated by commas or spaces. Throws std::invalid_argument naming the item that is no network.
  explicit TrustedProxies(std::string_view list);

  bool contains(std::string_view address) const;

  // The caller's address: the peer's, or, when the peer is a trusted proxy, the last address of
  // X-Forwarded-For that is not itself a trusted proxy. A malformed entry ends the search: what is
  // left of it could have been written by anyone.
  std::string caller_address(std::string_view peer, std::string_view forwarded_for) const;

 private:
  std::vector<boost::asio::ip::network_v6> networks_;  // IPv4 ones as mapped into IPv6
};

}  // namespace goldsmith::access
