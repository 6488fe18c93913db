// Addresses of callers: how they are counted, and which proxies are trusted (rate_windows.hpp).
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>

#include "app/base/text.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::limits {

namespace {

namespace ip = boost::asio::ip;

// An IPv4-mapped address becomes the IPv4 one.
std::optional<ip::address> parse(std::string_view text) {
  boost::system::error_code failure;
  ip::address address = ip::make_address(std::string(text), failure);
  if (failure) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

ip::address_v6 to_v6(const ip::address& address) {
  return address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4());
}

// An address alone is a network, too.
std::optional<ip::network_v6> parse_network(std::string_view text) {
  constexpr unsigned short kMappedPrefix = 96;
  if (const auto address = parse(text)) return ip::network_v6(to_v6(*address), 128);
  boost::system::error_code failure;
  const auto v4 = ip::make_network_v4(std::string(text), failure);
  if (!failure) {
    const auto length = static_cast<unsigned short>(kMappedPrefix + v4.prefix_length());
    return ip::network_v6(to_v6(v4.address()), length).canonical();
  }
  const auto v6 = ip::make_network_v6(std::string(text), failure);
  return failure ? std::nullopt : std::optional(v6.canonical());
}

std::optional<std::string> network_of(const ip::address& address,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits) {
  if (!(address.is_v4() ? ipv4_bits : ipv6_bits)) return std::nullopt;
  if (address.is_v4()) return ip::network_v4(address.to_v4(), *ipv4_bits).canonical().to_string();
  return ip::network_v6(address.to_v6(), *ipv6_bits).canonical().to_string();
}

}  // namespace

std::string rate_subject(std::string_view text) {
  constexpr unsigned short kCountedPrefix = 64;
  const auto address = parse(text);
  if (!address) return std::string(text);
  auto network = network_of(*address, std::nullopt, kCountedPrefix);
  return network ? *std::move(network) : address->to_string();
}

std::optional<std::string> network_of(std::string_view text,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits) {
  const auto address = parse(text);
  return address ? network_of(*address, ipv4_bits, ipv6_bits) : std::nullopt;
}

TrustedProxies::TrustedProxies(std::string_view list) {
  std::string spaced(list);
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  for (const std::string_view item : base::split(spaced, ' ')) {
    if (item.empty()) continue;
    const auto network = parse_network(item);
    if (!network) {
      throw std::invalid_argument("\"" + std::string(item) + "\" is no address or network");
    }
    networks_.push_back(*network);
  }
}

bool TrustedProxies::contains(std::string_view text) const {
  const auto address = parse(text);
  return address &&
         std::any_of(networks_.begin(), networks_.end(), [&](const ip::network_v6& network) {
           return ip::network_v6(to_v6(*address), network.prefix_length()).canonical() == network;
         });
}

std::string TrustedProxies::caller_address(std::string_view peer,
                                           std::string_view forwarded_for) const {
  std::string caller(peer);
  std::vector<std::string_view> hops = base::split(forwarded_for, ',');
  while (contains(caller) && !hops.empty()) {
    const auto hop = parse(base::trim_ascii(hops.back()));
    hops.pop_back();
    if (!hop) break;
    caller = hop->to_string();
  }
  return caller;
}

}  // namespace goldsmith::limits
