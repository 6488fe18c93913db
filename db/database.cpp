#include "db/database.hpp"

#include <cppconn/exception.h>
#include <unistd.h>

#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "db/connection.hpp"
#include "db/revision.hpp"
#include "db/server_error.hpp"
#include "db/server_list.hpp"

namespace goldsmith::db {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kNoReplicaPause{500};
constexpr int kTriesOfConflicts = 5;

// Calls `work` again after a conflict, which has undone what it did.
template <class Work>
auto repeat_conflicts(const Work& work) {
  for (int tries = 1;; ++tries) {
    try {
      return work();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::conflict || tries == kTriesOfConflicts) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * tries + ::getpid() % 7));
  }
}

ServerList::Standing by_role(Connection& connection) {
  return connection.report().is_read_only ? ServerList::Standing::read_only
                                          : ServerList::Standing::good;
}

}  // namespace

struct Database::State {
  explicit State(ConnectionSettings given, State* primary_or_null)
      : settings(std::move(given)),
        primary(primary_or_null),
        servers(settings, primary == nullptr ? ServerList::Need::one : ServerList::Need::none,
                [this](Connection& each) {
                  return primary == nullptr ? by_role(each) : by_progress(each);
                }) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() = default;

  ConnectionSettings settings;
  State* primary;  // null: it is the primary
  Progress seen;   // by this host, on the primary
  ServerList servers;
  std::unique_ptr<Connection> connection;
  SteadyClock::time_point used_at{};  // when the connection was last given work
  bool in_transaction = false;
  // Of a replica: what the present connection had, and when to ask for one again.
  Progress reached;
  SteadyClock::time_point retry_at{};

  enum class Repeat { no, once };
  // Calls `work` with an open connection, at most twice (see Database).
  template <class Work>
  auto with_connection(const Work& work, Repeat repeat = Repeat::once);

  // The same for a statement that changes something.
  template <class Work>
  auto change(const Work& work, Repeat repeat = Repeat::once);

  Connection& open();
  bool is_idle_for_too_long() const;
  // Drops the connection if `code` means that it, or its transaction, is lost, or that its server
  // does not write. Returns true if the statement may be repeated on a new one.
  bool forget_if_useless(int code, Repeat repeat);
  // After a time-out. Throws Error{timeout} if the server is alive, so that the statement is to
  // blame; reports the server otherwise.
  void judge_timeout(const sql::SQLException& exception);

  ServerList::Standing by_progress(Connection& replica);
  // Whether a replica is connected that has all that was seen.
  bool is_up_to_date();

  void begin(std::string_view sql);
  void commit();
  void roll_back() noexcept;
  void finish(const std::function<void()>& work);
  void enclose(std::string_view begin_sql, const std::function<void()>& work);
};

bool Database::State::is_idle_for_too_long() const {
  return settings.longest_idle.count() > 0 && servers.current().socket.empty() &&
         SteadyClock::now() - used_at > settings.longest_idle;
}

Connection& Database::State::open() {
  if (connection && !in_transaction && is_idle_for_too_long()) connection.reset();
  if (connection) {
    if (in_transaction) return *connection;
    if (auto better = servers.connect_to_better(*connection)) connection = std::move(better);
    return *connection;
  }
  // A new session is not part of the transaction and must not continue it.
  if (in_transaction) {
    throw Error(Error::Kind::unavailable, "the connection was lost inside the transaction");
  }
  connection = servers.connect();
  return *connection;
}

bool Database::State::forget_if_useless(int code, Repeat repeat) {
  const bool refuses_writes = is_read_only(code);
  if (!refuses_writes && !is_connection_lost(code) && !(in_transaction && is_rolled_back(code))) {
    return false;
  }
  if (refuses_writes) servers.report(ServerList::Standing::read_only, "");
  connection.reset();
  if (in_transaction) return false;
  return refuses_writes ? servers.size() > 1 : repeat == Repeat::once;
}

template <class Work>
auto Database::State::with_connection(const Work& work, Repeat repeat) {
  while (true) {
    const bool was_open = connection != nullptr;
    std::optional<SteadyClock::time_point> began;
    try {
      Connection& session = open();
      used_at = SteadyClock::now();
      began = used_at;
      return work(session);
    } catch (const sql::SQLException& exception) {
      const int code = exception.getErrorCode();
      const bool may_be_repeated = forget_if_useless(code, repeat) && was_open;
      // The client library reports its own time-out as a lost connection.
      if (is_connection_lost(code) && began &&
          SteadyClock::now() - *began >= settings.read_timeout) {
        judge_timeout(exception);
      }
      if (!may_be_repeated) throw Error(error_kind(code), describe(exception));
    }
  }
}

void Database::State::judge_timeout(const sql::SQLException& exception) {
  const std::string cause =
      "no answer within " + std::to_string(settings.read_timeout.count()) + " seconds";
  if (!servers.is_silent()) throw Error(Error::Kind::timeout, cause + ": " + describe(exception));
  servers.report(ServerList::Standing::unreachable, cause);
}

ServerList::Standing Database::State::by_progress(Connection& replica) {
  reached = next_progress(*replica.query(kProgressQuery, {}));
  return reached.includes(primary->seen) ? ServerList::Standing::good
                                         : ServerList::Standing::behind;
}

bool Database::State::is_up_to_date() {
  if (SteadyClock::now() < retry_at) return false;
  try {
    with_connection([&](Connection& session) {
      if (reached.includes(primary->seen)) return;
      if (by_progress(session) == ServerList::Standing::good) return;
      servers.report(ServerList::Standing::behind, "");
      connection = servers.connect();
    });
    return true;
  } catch (const Error&) {
    connection.reset();
    retry_at = SteadyClock::now() + kNoReplicaPause;
    return false;
  }
}

void Database::State::begin(std::string_view sql) {
  if (in_transaction) throw std::logic_error("transactions don't nest");
  with_connection([&](Connection& session) { session.run(sql); });
  in_transaction = true;
}

void Database::State::commit() {
  with_connection([](Connection& session) { session.run("COMMIT"); });
  in_transaction = false;
}

void Database::State::roll_back() noexcept {
  try {
    if (connection) connection->run("ROLLBACK");
  } catch (const std::exception&) {
    connection.reset();  // the server rolls back an open transaction
  }
  in_transaction = false;
}

void Database::State::enclose(std::string_view begin_sql, const std::function<void()>& work) {
  begin(begin_sql);
  finish(work);
}

void Database::State::finish(const std::function<void()>& work) {
  try {
    work();
    commit();
  } catch (...) {
    roll_back();
    throw;
  }
}

Database::Database(ConnectionSettings settings)
    : state_(std::make_unique<State>(std::move(settings), nullptr)) {}

Database::Database(ConnectionSettings replicas, Database& primary)
    : state_(std::make_unique<State>(std::move(replicas), primary.state_.get())) {}

Database::~Database() = default;

Database::State& Database::writing() {
  return state_->primary == nullptr ? *state_ : *state_->primary;
}

template <class Work>
auto Database::reading(const Work& work) {
  if (state_->primary == nullptr || state_->in_transaction) return work(*state_);
  if (state_->primary->in_transaction || !state_->is_up_to_date()) return work(*state_->primary);
  try {
    return work(*state_);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unavailable) throw;
  }
  return work(*state_->primary);
}

std::unique_ptr<Rows> Database::query(std::string_view sql,
                                      std::initializer_list<Parameter> params) {
  return reading([&](State& state) {
    return state.with_connection([&](Connection& session) {
      return session.query(sql, {params.begin(), params.size()});
    });
  });
}

std::unique_ptr<Rows> Database::query(std::string_view sql, const std::vector<Parameter>& params) {
  return reading([&](State& state) {
    return state.with_connection([&](Connection& session) { return session.query(sql, params); });
  });
}

// Outside a transaction, a conflict has undone the statement.
template <class Work>
auto Database::State::change(const Work& work, Repeat repeat) {
  const auto once = [&] { return with_connection(work, repeat); };
  return in_transaction ? once() : repeat_conflicts(once);
}

std::uint64_t Database::execute(std::string_view sql, std::initializer_list<Parameter> params) {
  return writing().change([&](Connection& session) {
    return session.execute(sql, {params.begin(), params.size()});
  });
}

std::uint64_t Database::execute(std::string_view sql, const std::vector<Parameter>& params) {
  return writing().change([&](Connection& session) { return session.execute(sql, params); });
}

std::uint64_t Database::execute_once(std::string_view sql,
                                     std::initializer_list<Parameter> params) {
  return writing().change(
      [&](Connection& session) {
        return session.execute(sql, {params.begin(), params.size()});
      },
      State::Repeat::no);
}

void Database::run(std::string_view sql) {
  writing().with_connection([&](Connection& session) { session.run(sql); });
}

std::int64_t Database::last_insert_id() {
  return writing().with_connection([](Connection& session) {
    const auto rows = session.query("SELECT LAST_INSERT_ID()", {});
    rows->next();
    return rows->integer(1);
  });
}

void Database::transaction(const std::function<void()>& work) {
  writing().enclose("START TRANSACTION", work);
}

void Database::repeated_transaction(const std::function<void()>& work) {
  repeat_transaction(work, LossBefore::commit);
}

void Database::idempotent_transaction(const std::function<void()>& work) {
  repeat_transaction(work, LossBefore::answer);
}

void Database::repeat_transaction(const std::function<void()>& work, LossBefore loss) {
  enum class Stage { not_begun, begun, committing };
  bool was_lost = false;
  while (true) {
    Stage stage = Stage::not_begun;
    try {
      return repeat_conflicts([&] {
        transaction([&] {
          stage = Stage::begun;
          work();
          stage = Stage::committing;
        });
      });
    } catch (const Error& error) {
      // The server rolls back what it was not asked to commit.
      const bool may_be_repeated =
          stage == Stage::begun || (stage == Stage::committing && loss == LossBefore::answer);
      if (error.kind() != Error::Kind::unavailable || !may_be_repeated || was_lost) throw;
    }
    was_lost = true;
  }
}

void Database::read(const std::function<void()>& work) {
  if (in_transaction()) return work();
  State* const state = reading([](State& chosen) {
    chosen.begin("START TRANSACTION READ ONLY");
    return &chosen;
  });
  state->finish(work);
}

bool Database::in_transaction() const {
  const State* const primary = state_->primary;
  return state_->in_transaction || (primary != nullptr && primary->in_transaction);
}

void Database::saw(const Progress& progress) { state_->seen = progress; }

ServerReport Database::report() {
  return state_->with_connection([](Connection& session) {
    session.inquire();
    return session.report();
  });
}

}  // namespace goldsmith::db
