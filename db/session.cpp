#include "db/session.hpp"

#include <stdexcept>
#include <string>

#include "db/server_error.hpp"

namespace goldsmith::db {

using SteadyClock = std::chrono::steady_clock;

bool Session::is_idle_for_too_long() const {
  return settings_.longest_idle.count() > 0 && servers_.current().socket.empty() &&
         SteadyClock::now() - used_at_ > settings_.longest_idle;
}

Connection& Session::open() {
  was_open_ = connection_ != nullptr;
  if (connection_ && !in_transaction_ && is_idle_for_too_long()) connection_.reset();
  used_at_ = SteadyClock::now();
  if (connection_ && !in_transaction_) {
    if (auto better = servers_.connect_to_better(*connection_)) connection_ = std::move(better);
  } else if (!connection_) {
    // A new session is not part of the transaction and must not continue it.
    if (in_transaction_) {
      throw Error(Error::Kind::unavailable, "the connection was lost inside the transaction");
    }
    connection_ = servers_.connect();
  }
  used_at_ = SteadyClock::now();
  return *connection_;
}

void Session::recover(const sql::SQLException& exception, Repeat repeat) {
  const int code = exception.getErrorCode();
  const bool is_lost = is_connection_lost(code);
  const bool refuses_writes = is_read_only(code);
  bool is_repeated = false;
  if (is_lost || refuses_writes || (in_transaction_ && is_rolled_back(code))) {
    if (refuses_writes) servers_.report(ServerState::read_only, "");
    connection_.reset();
    is_repeated = was_open_ && !in_transaction_ &&
                  (refuses_writes ? servers_.size() > 1 : repeat == Repeat::once);
  }
  // The client library reports its own time-out as a lost connection. If the server is alive, the
  // statement is to blame.
  if (is_lost && SteadyClock::now() - used_at_ >= settings_.read_timeout) {
    const std::string cause =
        "no answer within " + std::to_string(settings_.read_timeout.count()) + " seconds";
    if (!servers_.is_silent()) {
      throw Error(Error::Kind::timeout, cause + ": " + describe(exception));
    }
    servers_.report(ServerState::unreachable, cause);
  }
  if (!is_repeated) throw Error(error_kind(code), describe(exception));
}

void Session::move_on(ServerState state) {
  servers_.report(state, "");
  connection_ = servers_.connect();
}

void Session::begin(std::string_view sql) {
  if (in_transaction_) throw std::logic_error("transactions don't nest");
  with_connection([&](Connection& connection) { connection.run(sql); });
  in_transaction_ = true;
}

void Session::finish(const std::function<void()>& work) {
  try {
    work();
    with_connection([](Connection& connection) { connection.run("COMMIT"); });
    in_transaction_ = false;
  } catch (...) {
    roll_back();
    throw;
  }
}

void Session::roll_back() noexcept {
  try {
    if (connection_) connection_->run("ROLLBACK");
  } catch (const std::exception&) {
    connection_.reset();  // the server rolls back an open transaction
  }
  in_transaction_ = false;
}

}  // namespace goldsmith::db
