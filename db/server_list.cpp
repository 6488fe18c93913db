#include "db/server_list.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <cppconn/exception.h>
#include <fmt/core.h>

#include "app/base/clock.hpp"
#include "app/base/log.hpp"
#include "db/connection.hpp"

namespace goldsmith::db {

namespace {

base::UniqueFd begin_connecting(int family, const sockaddr* address, socklen_t length) {
  base::UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd && ::connect(fd.get(), address, length) != 0 && errno != EINPROGRESS) fd.reset();
  return fd;
}

base::UniqueFd begin_at_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return begin_connecting(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

base::UniqueFd begin_at_host(const base::ServerAddress& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found) !=
      0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  return begin_connecting(found->ai_family, found->ai_addr, found->ai_addrlen);
}

using SteadyClock = std::chrono::steady_clock;

// How long a server that failed is left out: at first, and at most.
constexpr std::chrono::milliseconds kFirstPause{1000};
constexpr std::chrono::milliseconds kLongestPause{15'000};
// A replica usually catches up at once.
constexpr std::chrono::milliseconds kPauseBehind{500};
// A replica that is behind for longer than this is.
constexpr std::chrono::seconds kWorthLogging{2};
// For how long a server that failed must be good before it is preferred to one that did not: a node
// of a cluster that stood still takes a second to notice that the others went on without it.
constexpr std::chrono::seconds kSettling{3};
// How often to look for a better server than the present one.
constexpr std::chrono::milliseconds kLookAgain{1000};
// What a server that works takes to greet a client, with much to spare.
constexpr std::chrono::milliseconds kGreeting{500};

bool greets(const base::ServerAddress& address) {
  return TcpProbe(address).outcome(kGreeting).value_or(false);
}

}  // namespace

TcpProbe::TcpProbe(const base::ServerAddress& address)
    : socket_(address.socket.empty() ? begin_at_host(address) : begin_at_socket(address.socket)) {}

std::optional<bool> TcpProbe::outcome(std::chrono::milliseconds patience) const {
  if (!socket_) return false;
  pollfd poll{socket_.get(), POLLIN, 0};
  if (::poll(&poll, 1, static_cast<int>(patience.count())) <= 0) return std::nullopt;
  char first = 0;
  return ::recv(socket_.get(), &first, 1, MSG_PEEK) == 1;
}

ServerList::ServerList(const ConnectionSettings& settings, bool has_fallback, Judge judge)
    : settings_(settings), has_fallback_(has_fallback), judge_(std::move(judge)) {
  for (const base::ServerAddress& address : settings.servers) {
    Server server;
    server.address = address;
    servers_.push_back(std::move(server));
  }
}

std::unique_ptr<Connection> ServerList::connect_to(Server& server) {
  server.probe.reset();
  try {
    auto connection = std::make_unique<Connection>(server.address, settings_);
    compare_clocks(connection->report().clock);
    set_state(server, judge_(*connection), "");
    return connection;
  } catch (const sql::SQLException& exception) {
    add_failure(exception.getErrorCode(), to_string(server.address) + ": " + describe(exception));
    set_state(server, ServerState::unreachable, describe(exception));
    return nullptr;
  }
}

void ServerList::add_failure(int code, const std::string& text) {
  if (failure_) {
    failure_.emplace(failure_->kind(), std::string(failure_->what()) + "; " + text);
  } else {
    failure_.emplace(error_kind(code), text);
  }
}

std::unique_ptr<Connection> ServerList::connect() {
  failure_.reset();
  std::unique_ptr<Connection> best;
  Rank rank = Rank::none;
  std::vector<bool> was_tried(servers_.size());
  for (const bool is_last_resort : {false, true}) {
    if (is_last_resort && has_fallback_) break;
    for (std::size_t index = 0; index < servers_.size(); ++index) {
      Server& server = servers_[index];
      if (was_tried[index] || (!is_last_resort && is_left_out(server))) continue;
      was_tried[index] = true;
      auto connection = connect_to(server);
      if (rank_of(server) <= rank) continue;
      rank = rank_of(server);
      best = std::move(connection);
      current_ = index;
      if (rank == Rank::settled) return best;
    }
    if (best) return best;
  }
  throw failure_.value_or(Error(Error::Kind::unavailable, "no replica is up to date"));
}

// One that was unreachable may still be so, and connecting to it may take the whole time-out.
bool ServerList::is_left_out(Server& server) {
  if (server.retry_at > SteadyClock::now()) return true;
  if (!has_alternative() || server.state != ServerState::unreachable) return false;
  if (greets(server.address)) return false;
  set_state(server, ServerState::unreachable, "it does not answer");
  return true;
}

bool ServerList::is_silent() const {
  return has_alternative() && !greets(servers_[current_].address);
}

void ServerList::report(ServerState state, const std::string& cause) {
  set_state(servers_[current_], state, cause);
}

ServerList::Rank ServerList::rank_of(const Server& server) {
  if (server.state == ServerState::read_only) return Rank::read_only;
  if (server.state != ServerState::good) return Rank::none;
  return SteadyClock::now() - server.since < kSettling ? Rank::good : Rank::settled;
}

bool ServerList::answers_again(Server& server) {
  if (!server.probe) {
    if (server.retry_at > SteadyClock::now()) return false;
    server.probe.emplace(server.address);
  }
  const std::optional<bool> outcome = server.probe->outcome();
  if (!outcome) return false;
  server.probe.reset();
  if (!*outcome) set_state(server, ServerState::unreachable, "it does not answer");
  return *outcome;
}

std::unique_ptr<Connection> ServerList::connect_to_better(Connection& current) {
  const auto now = SteadyClock::now();
  if (servers_.size() == 1 || now < look_again_at_) return nullptr;
  look_again_at_ = now + kLookAgain;
  const bool is_good = servers_[current_].state == ServerState::good;
  const std::size_t end = is_good ? current_ : servers_.size();
  for (std::size_t index = 0; index < end; ++index) {
    if (index == current_ || !answers_again(servers_[index])) continue;
    auto connection = connect_to(servers_[index]);
    if (rank_of(servers_[index]) < (is_good ? Rank::settled : Rank::good)) continue;
    current_ = index;
    return connection;
  }
  if (!is_good) {
    current.inquire();
    report(judge_(current), "");
  }
  return nullptr;
}

void ServerList::set_state(Server& server, ServerState state, const std::string& cause) {
  const auto now = SteadyClock::now();
  if (server.state != state) server.since = now;
  server.state = state;
  if (state == ServerState::good) {
    server.pause = std::chrono::milliseconds(0);
    server.retry_at = {};
  } else if (state == ServerState::behind) {
    server.retry_at = now + kPauseBehind;
  } else {
    server.pause = std::clamp(server.pause * 2, kFirstPause, kLongestPause);
    server.retry_at = now + server.pause;
  }
  const bool is_short = state == ServerState::behind && now - server.since < kWorthLogging;
  if (server.logged == state || is_short) return;
  server.logged = state;
  if (settings_.logs_changes) log_state(server, cause);
}

void ServerList::log_state(const Server& server, const std::string& cause) const {
  using base::LogLevel;
  const std::string name = to_string(server.address);
  switch (server.state) {
    case ServerState::good:
      return base::log(LogLevel::info, "the database server can be used again", {{"server", name}});
    case ServerState::read_only:
      return base::log(LogLevel::warning, "the database server is read-only", {{"server", name}});
    case ServerState::behind:
      return base::log(LogLevel::warning, "the replica is behind and is not read",
                       {{"server", name}});
    case ServerState::unreachable:
      return base::log(LogLevel::error, "the database server can't be used",
                       {{"server", name}, {"cause", cause}});
  }
}

void ServerList::compare_clocks(std::int64_t there) {
  const std::int64_t apart = std::abs(there - base::unix_seconds(std::chrono::system_clock::now()));
  const bool differs = apart > kClocksApart;
  if (differs != clock_differs_ && settings_.logs_changes) {
    base::log(differs ? base::LogLevel::warning : base::LogLevel::info,
              differs ? "the clocks of this host and of the database server differ"
                      : "the clocks of this host and of the database server agree again",
              {{"seconds", std::to_string(apart)}});
  }
  clock_differs_ = differs;
}

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
  if (is_lost || refuses_writes || (in_transaction_ && ends_transaction(code))) {
    if (refuses_writes) servers_.report(ServerState::read_only, "");
    connection_.reset();
    is_repeated = was_open_ && !in_transaction_ &&
                  (refuses_writes ? servers_.size() > 1 : repeat == Repeat::once);
  }
  // The client library reports its own time-out as a lost connection. If the server is alive, the
  // statement is to blame.
  if (is_lost && SteadyClock::now() - used_at_ >= settings_.read_timeout) {
    const std::string cause =
        fmt::format("no answer within {} seconds", settings_.read_timeout.count());
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
