// How the configuration becomes the settings of connections (database.hpp).
#include <algorithm>
#include <chrono>
#include <utility>

#include "db/database.hpp"

namespace goldsmith::db {

namespace {

// Shorter than the idle times after which firewalls and load balancers forget a connection.
constexpr std::chrono::seconds kLongestIdle{60};
// When a server falls silent, workers that were idle meet it one after another.
constexpr std::chrono::seconds kLongestIdleWithAlternative{3};

ConnectionSettings adapt_to_workers(ConnectionSettings settings, bool has_alternative,
                                    const base::DatabaseConfig& config) {
  settings.logs_changes = true;
  settings.longest_idle = has_alternative ? kLongestIdleWithAlternative : kLongestIdle;
  if (has_alternative) {
    settings.read_timeout = std::min(settings.read_timeout, config.failover_timeout);
  }
  return settings;
}

}  // namespace

ConnectionSettings connection_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings;
  settings.servers = config.hosts;
  if (settings.servers.empty()) settings.servers = {{config.socket, config.host, config.port}};
  settings.schema = config.name;
  settings.user = config.user;
  settings.password = config.password;
  settings.connect_timeout = config.connect_timeout;
  settings.read_timeout = config.read_timeout;
  settings.tls = config.tls;
  return settings;
}

ConnectionSettings replica_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings = connection_settings(config);
  settings.servers = config.read_hosts;
  return settings;
}

ConnectionSettings worker_settings(const base::DatabaseConfig& config) {
  ConnectionSettings settings = connection_settings(config);
  const bool has_alternative = settings.servers.size() > 1;
  return adapt_to_workers(std::move(settings), has_alternative, config);
}

ConnectionSettings worker_replica_settings(const base::DatabaseConfig& config) {
  return adapt_to_workers(replica_settings(config), true, config);
}

}  // namespace goldsmith::db
