#include "app/access/address.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <stdexcept>

#include "app/sys/text.hpp"

namespace goldsmith::access {
namespace {

namespace ip = boost::asio::ip;

constexpr unsigned short kCountedPrefix = 64;

// An IPv4-mapped address becomes the IPv4 one.
std::optional<ip::address> parse(std::string_view text) {
  boost::system::error_code failure;
  const ip::address address = ip::make_address(std::string(text), failure);
  if (failure) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

template <typename Network, typename Address>
bool any_contains(const std::vector<Network>& networks, const Address& address,
                  unsigned short host_length) {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& network) {
    return Network(address, host_length).is_subnet_of(network) ||
           Network(address, host_length) == network;
  });
}

}  // namespace

std::string rate_subject(std::string_view text) {
  const auto address = parse(text);
  if (!address) return std::string(text);
  if (address->is_v4()) return address->to_string();
  return ip::network_v6(address->to_v6(), kCountedPrefix).canonical().to_string();
}

TrustedProxies::TrustedProxies(std::string_view list) {
  std::string spaced(list);
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  for (const std::string_view item : sys::split(spaced, ' ')) {
    if (item.empty()) continue;
    boost::system::error_code failure;
    std::string text(item);
    const auto address = parse(item);
    if (address) text += address->is_v4() ? "/32" : "/128";
    const auto v4 = ip::make_network_v4(text, failure);
    if (!failure) {
      v4_.push_back(v4.canonical());
      continue;
    }
    const auto v6 = ip::make_network_v6(text, failure);
    if (failure) {
      throw std::invalid_argument("\"" + std::string(item) + "\" is no address or network");
    }
    v6_.push_back(v6.canonical());
  }
}

bool TrustedProxies::contains(std::string_view text) const {
  const auto address = parse(text);
  if (!address) return false;
  return address->is_v4() ? any_contains(v4_, address->to_v4(), 32)
                          : any_contains(v6_, address->to_v6(), 128);
}

std::string TrustedProxies::caller_address(std::string_view peer,
                                           std::string_view forwarded_for) const {
  std::string caller(peer);
  std::vector<std::string_view> hops = sys::split(forwarded_for, ',');
  while (contains(caller) && !hops.empty()) {
    const auto hop = parse(sys::trim_ascii(hops.back()));
    hops.pop_back();
    if (!hop) break;
    caller = hop->to_string();
  }
  return caller;
}

}  // namespace goldsmith::access
