#include <string>

#include "app/sys/config.hpp"
#include "db/database.hpp"

namespace goldsmith::db {
namespace {

std::vector<ServerAddress> addresses(const std::vector<sys::DatabaseAddress>& configured) {
  std::vector<ServerAddress> servers;
  servers.reserve(configured.size());
  for (const sys::DatabaseAddress& each : configured) {
    servers.push_back({each.socket, each.host, each.port});
  }
  return servers;
}

TlsSettings tls_settings(const sys::DatabaseConfig& config) {
  TlsSettings tls;
  tls.mode = config.tls == sys::DatabaseTls::off        ? TlsSettings::Mode::off
             : config.tls == sys::DatabaseTls::required ? TlsSettings::Mode::required
                                                        : TlsSettings::Mode::verify;
  tls.authorities = config.tls_ca.string();
  tls.certificate = config.tls_certificate.string();
  tls.key = config.tls_key.string();
  return tls;
}

}  // namespace

std::string to_string(const ServerAddress& address) {
  if (!address.socket.empty()) return address.socket;
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

ConnectionSettings connection_settings(const sys::DatabaseConfig& config) {
  ConnectionSettings settings;
  settings.servers = addresses(config.hosts);
  if (settings.servers.empty()) settings.servers = {{config.socket, config.host, config.port}};
  settings.schema = config.name;
  settings.user = config.user;
  settings.password = config.password;
  settings.connect_timeout = config.connect_timeout;
  settings.read_timeout = config.read_timeout;
  settings.tls = tls_settings(config);
  return settings;
}

ConnectionSettings replica_settings(const sys::DatabaseConfig& config) {
  ConnectionSettings settings = connection_settings(config);
  settings.servers = addresses(config.read_hosts);
  return settings;
}

}  // namespace goldsmith::db
