// A primary and its replica, shared by the tests of a program.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "test/db/builders.hpp"
#include "test/support/own_server.hpp"

namespace goldsmith::test {

// The test fails if it does not hold within 20 seconds.
void wait_until(const std::function<bool()>& holds);

// A socket on 127.0.0.1 to which nobody answers.
class Listening {
 public:
  Listening();
  std::uint16_t port() const { return port_; }

 private:
  base::UniqueFd socket_;
  std::uint16_t port_ = 0;
};

// Certificates of an authority, and of another one. `server` is for localhost.
class Certificates {
 public:
  Certificates();
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  base::TempDir folder_;
};

// Both have the schema `goldsmith`, and the account `app` without a password, which is bound by
// read_only as those of the workers are. Over TCP, the primary offers TLS.
class ServerPair {
 public:
  static ServerPair& instance();

  Certificates certificates;
  // On 127.0.0.1.
  std::uint16_t port;
  std::uint16_t replica_port;
  OwnServer primary;
  OwnServer replica;

  db::ConnectionSettings at(std::vector<base::ServerAddress> servers) const;
  db::ConnectionSettings at_primary() const { return at({primary.address()}); }
  db::ConnectionSettings at_both() const { return at({primary.address(), replica.address()}); }
  db::ConnectionSettings over_tcp(const std::string& host, base::DatabaseTls::Mode mode) const;

  // As root, on all schemas.
  void on_primary(const std::string& sql) const;
  void on_replica(const std::string& sql) const;
  // Until it has all that the primary had at the call.
  void wait_for_replica() const;

 private:
  ServerPair();
};

}  // namespace goldsmith::test
