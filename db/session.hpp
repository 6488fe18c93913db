// The connection of a Database to the server that its ServerList prefers. It is opened on first use
// and again when it is lost, and holds at most one transaction. Private to db/.
#pragma once

#include <cppconn/exception.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "db/connection.hpp"
#include "db/server_list.hpp"

namespace goldsmith::db {

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
