#include "db/server_list.hpp"

#include <cppconn/exception.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/sys/clock.hpp"
#include "app/sys/log.hpp"
#include "db/server_error.hpp"

namespace goldsmith::db {
namespace {

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

bool greets(const sys::ServerAddress& address) {
  return TcpProbe(address).outcome(kGreeting).value_or(false);
}

}  // namespace

ServerList::ServerList(const ConnectionSettings& settings, bool has_fallback, Judge judge)
    : settings_(settings), has_fallback_(has_fallback), judge_(std::move(judge)) {
  for (const sys::ServerAddress& address : settings.servers) {
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
  using sys::LogLevel;
  const std::string name = to_string(server.address);
  switch (server.state) {
    case ServerState::good:
      return sys::log(LogLevel::info, "the database server can be used again", {{"server", name}});
    case ServerState::read_only:
      return sys::log(LogLevel::warning, "the database server is read-only", {{"server", name}});
    case ServerState::behind:
      return sys::log(LogLevel::warning, "the replica is behind and is not read",
                      {{"server", name}});
    case ServerState::unreachable:
      return sys::log(LogLevel::error, "the database server can't be used",
                      {{"server", name}, {"cause", cause}});
  }
}

void ServerList::compare_clocks(std::int64_t there) {
  const std::int64_t apart = std::abs(there - sys::unix_seconds(std::chrono::system_clock::now()));
  const bool differs = apart > kClocksApart;
  if (differs != clock_differs_ && settings_.logs_changes) {
    sys::log(differs ? sys::LogLevel::warning : sys::LogLevel::info,
             differs ? "the clocks of this host and of the database server differ"
                     : "the clocks of this host and of the database server agree again",
             {{"seconds", std::to_string(apart)}});
  }
  clock_differs_ = differs;
}

}  // namespace goldsmith::db
