#include "db/server_list.hpp"

#include <cppconn/exception.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

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

bool greets(const ServerAddress& address) {
  return TcpProbe(address).outcome_within(kGreeting).value_or(false);
}

}  // namespace

ServerList::ServerList(const ConnectionSettings& settings, Need need, Judge judge)
    : settings_(settings), need_(need), judge_(std::move(judge)) {
  for (const ServerAddress& address : settings.servers) {
    Server server;
    server.address = address;
    servers_.push_back(std::move(server));
  }
}

ServerList::Tried ServerList::try_server(Server& server) {
  server.probe.reset();
  try {
    Tried tried{std::make_unique<Connection>(server.address, settings_), Standing::good};
    compare_clocks(tried.connection->report().clock);
    tried.standing = judge_(*tried.connection);
    set_standing(server, tried.standing, "");
    return tried;
  } catch (const sql::SQLException& exception) {
    add_failure(exception.getErrorCode(), to_string(server.address) + ": " + describe(exception));
    set_standing(server, Standing::unreachable, describe(exception));
    return {};
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
  Worth worth = Worth::none;
  std::vector<bool> was_tried(servers_.size());
  for (const bool is_last_resort : {false, true}) {
    if (is_last_resort && need_ == Need::none) break;
    for (std::size_t index = 0; index < servers_.size(); ++index) {
      Server& server = servers_[index];
      if (was_tried[index] || (!is_last_resort && is_left_out(server))) continue;
      was_tried[index] = true;
      Tried tried = try_server(server);
      if (worth_of(server) <= worth) continue;
      worth = worth_of(server);
      best = std::move(tried.connection);
      current_ = index;
      if (worth == Worth::settled) return best;
    }
    if (best) return best;
  }
  throw failure_.value_or(Error(Error::Kind::unavailable, "no replica is up to date"));
}

// One that was unreachable may still be so, and connecting to it may take the whole time-out.
bool ServerList::is_left_out(Server& server) {
  if (server.retry_at > SteadyClock::now()) return true;
  if (!has_alternative() || server.standing != Standing::unreachable) return false;
  if (greets(server.address)) return false;
  set_standing(server, Standing::unreachable, "it does not answer");
  return true;
}

bool ServerList::is_silent() const {
  return has_alternative() && !greets(servers_[current_].address);
}

void ServerList::report(Standing standing, const std::string& cause) {
  set_standing(servers_[current_], standing, cause);
}

ServerList::Worth ServerList::worth_of(const Server& server) {
  if (server.standing == Standing::read_only) return Worth::read_only;
  if (server.standing != Standing::good) return Worth::none;
  return SteadyClock::now() - server.since < kSettling ? Worth::good : Worth::settled;
}

bool ServerList::is_worth_a_try(Server& server) {
  if (!server.probe) {
    if (server.retry_at > SteadyClock::now()) return false;
    server.probe.emplace(server.address);
  }
  const std::optional<bool> outcome = server.probe->outcome();
  if (!outcome) return false;
  server.probe.reset();
  if (!*outcome) set_standing(server, Standing::unreachable, "it does not answer");
  return *outcome;
}

std::unique_ptr<Connection> ServerList::connect_to_better(Connection& current) {
  const auto now = SteadyClock::now();
  if (servers_.size() == 1 || now < look_again_at_) return nullptr;
  look_again_at_ = now + kLookAgain;
  const bool is_good = servers_[current_].standing == Standing::good;
  if (is_good && current_ == 0) return nullptr;
  for (std::size_t index = 0; index < (is_good ? current_ : servers_.size()); ++index) {
    if (index == current_ || !is_worth_a_try(servers_[index])) continue;
    Tried tried = try_server(servers_[index]);
    if (tried.standing != Standing::good) continue;
    if (is_good && worth_of(servers_[index]) != Worth::settled) continue;
    current_ = index;
    return std::move(tried.connection);
  }
  if (is_good) return nullptr;
  current.inquire();
  set_standing(servers_[current_], judge_(current), "");
  return nullptr;
}

void ServerList::set_standing(Server& server, Standing standing, const std::string& cause) {
  const auto now = SteadyClock::now();
  if (server.standing != standing) server.since = now;
  server.standing = standing;
  if (standing == Standing::good) {
    server.pause = std::chrono::milliseconds(0);
    server.retry_at = {};
  } else if (standing == Standing::behind) {
    server.retry_at = now + kPauseBehind;
  } else {
    server.pause = std::clamp(server.pause * 2, kFirstPause, kLongestPause);
    server.retry_at = now + server.pause;
  }
  const bool is_short = standing == Standing::behind && now - server.since < kWorthLogging;
  if (server.logged == standing || is_short) return;
  server.logged = standing;
  if (settings_.logs_changes) log_standing(server, cause);
}

void ServerList::log_standing(const Server& server, const std::string& cause) const {
  using sys::LogLevel;
  const std::string name = to_string(server.address);
  switch (server.standing) {
    case Standing::good:
      return sys::log(LogLevel::info, "the database server can be used again", {{"server", name}});
    case Standing::read_only:
      return sys::log(LogLevel::warning, "the database server is read-only", {{"server", name}});
    case Standing::behind:
      return sys::log(LogLevel::warning, "the replica is behind and is not read",
                      {{"server", name}});
    case Standing::unreachable:
      return sys::log(LogLevel::error, "the database server can't be used",
                      {{"server", name}, {"cause", cause}});
  }
}

void ServerList::compare_clocks(std::int64_t there) {
  const auto here = std::chrono::duration_cast<std::chrono::seconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
  const std::int64_t apart = std::abs(there - here);
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
