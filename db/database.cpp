#include "db/database.hpp"

#include <unistd.h>

#include <thread>
#include <utility>

#include "db/connection.hpp"
#include "db/migrations.hpp"
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

// A conflict undoes a statement, but for one of a transaction that has done more.
std::uint64_t execute_in(Session& session, std::string_view sql, Parameters params,
                         Session::Repeat repeat) {
  const auto once = [&] {
    return session.with_connection(
        [&](Connection& connection) { return connection.execute(sql, params); }, repeat);
  };
  return session.in_transaction() ? once() : repeat_conflicts(once);
}

}  // namespace

// The session with the primary, or with a replica of it.
struct Database::State {
  State(ConnectionSettings settings, State* primary_or_null)
      : primary(primary_or_null),
        session(std::move(settings), primary != nullptr,
                [this](Connection& each) { return state_of(each); }) {}

  ServerState state_of(Connection& server);
  // Whether a replica is connected that has all that was seen.
  bool is_up_to_date();

  State* primary;                      // null: this is the primary
  Progress seen;                       // by this host, on the primary
  SteadyClock::time_point retry_at{};  // when to look for a replica again
  Session session;
};

ServerState Database::State::state_of(Connection& server) {
  if (primary == nullptr) {
    return server.report().is_read_only ? ServerState::read_only : ServerState::good;
  }
  server.progress = next_progress(*server.query(kProgressQuery, {}));
  return server.progress.includes(primary->seen) ? ServerState::good : ServerState::behind;
}

bool Database::State::is_up_to_date() {
  if (SteadyClock::now() < retry_at) return false;
  try {
    session.with_connection([&](Connection& replica) {
      if (replica.progress.includes(primary->seen)) return;
      if (state_of(replica) == ServerState::behind) session.move_on(ServerState::behind);
    });
    return true;
  } catch (const Error&) {
    session.close();
    retry_at = SteadyClock::now() + kNoReplicaPause;
    return false;
  }
}

Database::Database(ConnectionSettings settings)
    : state_(std::make_unique<State>(std::move(settings), nullptr)) {}

Database::Database(ConnectionSettings replicas, Database& primary)
    : state_(std::make_unique<State>(std::move(replicas), primary.state_.get())) {}

Database::~Database() = default;

Session& Database::writing() {
  return state_->primary == nullptr ? state_->session : state_->primary->session;
}

template <class Work>
auto Database::reading(const Work& work) {
  Session& own = state_->session;
  if (state_->primary == nullptr || own.in_transaction()) return work(own);
  if (writing().in_transaction() || !state_->is_up_to_date()) return work(writing());
  try {
    return work(own);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unavailable) throw;
  }
  return work(writing());
}

std::unique_ptr<Rows> Database::query(std::string_view sql, Parameters params) {
  return reading([&](Session& session) {
    return session.with_connection(
        [&](Connection& connection) { return connection.query(sql, params); });
  });
}

std::uint64_t Database::execute(std::string_view sql, Parameters params) {
  return execute_in(writing(), sql, params, Session::Repeat::once);
}

std::uint64_t Database::execute_once(std::string_view sql,
                                     std::initializer_list<Parameter> params) {
  return execute_in(writing(), sql, {params.begin(), params.size()}, Session::Repeat::no);
}

void Database::run(std::string_view sql) {
  writing().with_connection([&](Connection& connection) { connection.run(sql); });
}

std::int64_t Database::last_insert_id() {
  return writing().with_connection([](Connection& connection) {
    const auto rows = connection.query("SELECT LAST_INSERT_ID()", {});
    rows->next();
    return rows->integer(1);
  });
}

void Database::transaction(const std::function<void()>& work) {
  writing().begin("START TRANSACTION");
  writing().finish(work);
}

void Database::repeated_transaction(const std::function<void()>& work) {
  repeat_transaction(work, false);
}

void Database::idempotent_transaction(const std::function<void()>& work) {
  repeat_transaction(work, true);
}

void Database::repeat_transaction(const std::function<void()>& work, bool is_idempotent) {
  bool may_be_repeated = false;
  const auto enclosed = [&] {
    may_be_repeated = true;  // the server rolls back what it was not asked to commit
    work();
    may_be_repeated = is_idempotent;
  };
  const auto once = [&] { repeat_conflicts([&] { transaction(enclosed); }); };
  try {
    return once();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unavailable || !may_be_repeated) throw;
  }
  once();
}

void Database::read(const std::function<void()>& work) {
  if (in_transaction()) return work();
  repeat_conflicts([&] {
    Session* const session = reading([](Session& chosen) {
      chosen.begin("START TRANSACTION READ ONLY");
      return &chosen;
    });
    session->finish(work);
  });
}

bool Database::in_transaction() const {
  const State* const primary = state_->primary;
  return state_->session.in_transaction() || (primary && primary->session.in_transaction());
}

void Database::saw(const Progress& progress) { state_->seen = progress; }

ServerReport Database::report() {
  return state_->session.with_connection([](Connection& connection) {
    connection.inquire();
    return connection.report();
  });
}

}  // namespace goldsmith::db
