// The servers of one Database, and which of them to use. Private to db/.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/tcp_probe.hpp"

namespace goldsmith::db {

class ServerList {
 public:
  enum class Standing { good, read_only, behind, unreachable };
  // What a new connection is good for. May throw sql::SQLException.
  using Judge = std::function<Standing(Connection&)>;
  // Of replicas: the primary answers instead.
  enum class Need { one, none };

  // `settings` must outlive the list, and have at least one server.
  ServerList(const ConnectionSettings& settings, Need need, Judge judge);

  // To the first server that is good, else to the first that is read-only. A server that failed is
  // left out for a while, also when it answers again, unless one is needed and no other is left.
  // Throws Error if there is none.
  std::unique_ptr<Connection> connect();

  // Whether the server of the last connection fails to greet a new client, and another server
  // could answer. Waits for half a second if it doesn't.
  bool is_silent() const;

  // The server of the last connection is no longer what it was.
  void report(Standing standing, const std::string& cause);

  // A connection to a server that is to be preferred to that of `current`; null if there is none.
  // Asks every few seconds, and waits for no server that does not answer.
  std::unique_ptr<Connection> connect_to_better(Connection& current);

  std::size_t size() const { return servers_.size(); }
  const ServerAddress& current() const { return servers_[current_].address; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Server {
    ServerAddress address;
    Standing standing = Standing::good;
    Standing logged = Standing::good;
    SteadyTime since{};  // that it is so
    std::chrono::milliseconds pause{0};
    SteadyTime retry_at{};
    std::optional<TcpProbe> probe;
  };
  struct Tried {
    std::unique_ptr<Connection> connection;  // null if it is unreachable
    Standing standing = Standing::unreachable;
  };

  // For a new connection, in ascending order. `settled`: good for a while.
  enum class Worth { none, read_only, good, settled };

  Tried try_server(Server& server);
  static Worth worth_of(const Server& server);
  bool has_alternative() const { return servers_.size() > 1 || need_ == Need::none; }
  bool is_left_out(Server& server);
  bool is_worth_a_try(Server& server);
  void set_standing(Server& server, Standing standing, const std::string& cause);
  void log_standing(const Server& server, const std::string& cause) const;
  void compare_clocks(std::int64_t there);
  void add_failure(int code, const std::string& text);

  const ConnectionSettings& settings_;
  Need need_;
  Judge judge_;
  std::vector<Server> servers_;
  std::size_t current_ = 0;
  SteadyTime look_again_at_{};
  std::optional<Error> failure_;  // of the servers that were tried
  bool clock_differs_ = false;
};

}  // namespace goldsmith::db
