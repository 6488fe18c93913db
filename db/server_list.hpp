// A session on one of several servers: which of them answer, and which to use. Private to db/.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cppconn/exception.h>

#include "app/base/file.hpp"
#include "db/connection.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Whether a server answers again, asked without waiting for it. Private to db/.

// Connects, which the kernel does meanwhile; the server greets first, and nothing is sent.
class TcpProbe {
 public:
  explicit TcpProbe(const base::ServerAddress& address);

  // std::nullopt if it is not known after `patience`.
  std::optional<bool> outcome(std::chrono::milliseconds patience = {}) const;

 private:
  base::UniqueFd socket_;  // none = the server can't be reached
};

// The servers of one Session: what is known of each, and which of them to use. Private to db/.
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
  const base::ServerAddress& current() const { return servers_[current_].address; }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Server {
    base::ServerAddress address;
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

// The connection of a Database to the server that its ServerList prefers. It is opened on first use
// and again when it is lost, and holds at most one transaction. Private to db/.
class Session {
 public:
  Session(ConnectionSettings settings, bool has_fallback, ServerList::Judge judge)
      : settings_(std::move(settings)), servers_(settings_, has_fallback, std::move(judge)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Whether the statements of `work` may run a second time after the connection was lost.
  enum class Repeat { no, once };
  // Calls `work` with the open connection, and once more with another one where Database promises
  // it. Throws Error.
  template <class Work>
  auto with_connection(const Work& work, Repeat repeat = Repeat::once) {
    while (true) {
      try {
        return work(open());
      } catch (const sql::SQLException& exception) {
        recover(exception, repeat);
      }
    }
  }

  void begin(std::string_view sql);
  // Commits what begin() began when `work` returns, rolls back when it throws.
  void finish(const std::function<void()>& work);
  bool in_transaction() const { return in_transaction_; }

  // Connects to the next server instead of the present one, which is not good. Throws Error.
  void move_on(ServerState state);
  void close() { connection_.reset(); }

 private:
  Connection& open();
  bool is_idle_for_too_long() const;
  // Drops a connection that is of no use any more. Throws Error unless `work` is to be repeated.
  void recover(const sql::SQLException& exception, Repeat repeat);
  void roll_back() noexcept;

  ConnectionSettings settings_;
  ServerList servers_;
  std::unique_ptr<Connection> connection_;
  bool was_open_ = false;                            // before the last call of open()
  std::chrono::steady_clock::time_point used_at_{};  // when the connection was last given work
  bool in_transaction_ = false;
};

}  // namespace goldsmith::db
