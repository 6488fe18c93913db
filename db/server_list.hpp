// The servers of one Session: what is known of each, and which of them to use. Private to db/.
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

enum class ServerState { good, read_only, behind, unreachable };

class ServerList {
 public:
  // The state of the server that the connection leads to. May throw sql::SQLException.
  using Judge = std::function<ServerState(Connection&)>;

  // `settings` must outlive the list, and have at least one server. `has_fallback`: somebody else
  // answers if none of them is good, as the primary does for its replicas.
  ServerList(const ConnectionSettings& settings, bool has_fallback, Judge judge);

  // To the first server that is good, else to the first that is read-only. A server that failed is
  // left out for a while, also when it answers again, unless no other is left and there is no
  // fallback. Throws Error if there is none.
  std::unique_ptr<Connection> connect();

  // Whether the server of the last connection fails to greet a new client, and another server
  // could answer. Waits for half a second if it doesn't.
  bool is_silent() const;

  // The server of the last connection is now in that state.
  void report(ServerState state, const std::string& cause);

  // A connection to a server that is to be preferred to that of `current`; null if there is none.
  // Looks for one every second, and waits for no server that does not answer.
  std::unique_ptr<Connection> connect_to_better(Connection& current);

  std::size_t size() const { return servers_.size(); }
  const sys::ServerAddress& current() const { return servers_[current_].address; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Server {
    sys::ServerAddress address;
    ServerState state = ServerState::good;
    ServerState logged = ServerState::good;
    SteadyTime since{};  // when it entered this state
    std::chrono::milliseconds pause{0};
    SteadyTime retry_at{};
    std::optional<TcpProbe> probe;
  };
  // Which server to prefer, in ascending order. `settled`: good for a while.
  enum class Rank { none, read_only, good, settled };

  // Updates the state of the server. Null if it is unreachable.
  std::unique_ptr<Connection> connect_to(Server& server);
  static Rank rank_of(const Server& server);
  bool has_alternative() const { return servers_.size() > 1 || has_fallback_; }
  bool is_left_out(Server& server);
  bool answers_again(Server& server);
  void set_state(Server& server, ServerState state, const std::string& cause);
  void log_state(const Server& server, const std::string& cause) const;
  void compare_clocks(std::int64_t there);
  void add_failure(int code, const std::string& text);

  const ConnectionSettings& settings_;
  bool has_fallback_;
  Judge judge_;
  std::vector<Server> servers_;
  std::size_t current_ = 0;
  SteadyTime look_again_at_{};
  std::optional<Error> failure_;  // why the last connect() could not use the servers
  bool clock_differs_ = false;
};

}  // namespace goldsmith::db
