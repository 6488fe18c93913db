#include "db/database.hpp"

#include <cppconn/exception.h>

#include <optional>
#include <span>

#include "db/connection.hpp"
#include "db/server_error.hpp"

namespace goldsmith::db {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string describe(const sql::SQLException& exception) {
  std::string text = exception.what();
  if (exception.getErrorCode() != 0) {
    text += " (MySQL error " + std::to_string(exception.getErrorCode()) + ", SQLSTATE " +
            exception.getSQLState() + ")";
  }
  return text;
}

}  // namespace

struct Database::State {
  ConnectionSettings settings;
  std::unique_ptr<Connection> connection;
  bool in_transaction = false;

  enum class Repeat { no, once };
  // Calls `work` with an open connection, at most twice (see Database).
  template <class Work>
  auto with_connection(const Work& work, Repeat repeat = Repeat::once);

  Connection& open();
  // Drops the connection if `code` means that it, or its transaction, is lost. Returns true if the
  // statement may be repeated on a new one.
  bool forget_if_useless(int code);

  void begin(std::string_view sql);
  void commit();
  void roll_back() noexcept;
  void enclose(std::string_view begin_sql, const std::function<void()>& work);
};

Connection& Database::State::open() {
  if (!connection) {
    // A new session is not part of the transaction and must not continue it.
    if (in_transaction) {
      throw Error(Error::Kind::unavailable, "the connection was lost inside the transaction");
    }
    connection = std::make_unique<Connection>(settings);
  }
  return *connection;
}

bool Database::State::forget_if_useless(int code) {
  if (!is_connection_lost(code) && !(in_transaction && is_rolled_back(code))) return false;
  connection.reset();
  return !in_transaction;
}

template <class Work>
auto Database::State::with_connection(const Work& work, Repeat repeat) {
  while (true) {
    const bool was_open = connection != nullptr;
    std::optional<SteadyClock::time_point> began;
    try {
      Connection& session = open();
      began = SteadyClock::now();
      return work(session);
    } catch (const sql::SQLException& exception) {
      const int code = exception.getErrorCode();
      const bool may_be_repeated = forget_if_useless(code) && was_open && repeat == Repeat::once;
      // The client library reports its own time-out as a lost connection.
      if (is_connection_lost(code) && began &&
          SteadyClock::now() - *began >= settings.read_timeout) {
        throw Error(Error::Kind::timeout, "no answer within " +
                                              std::to_string(settings.read_timeout.count()) +
                                              " seconds: " + describe(exception));
      }
      if (!may_be_repeated) throw Error(error_kind(code), describe(exception));
    }
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
  try {
    work();
    commit();
  } catch (...) {
    roll_back();
    throw;
  }
}

Database::Database(ConnectionSettings settings) : state_(std::make_unique<State>()) {
  state_->settings = std::move(settings);
}

Database::~Database() = default;

std::unique_ptr<Rows> Database::query(std::string_view sql,
                                      std::initializer_list<Parameter> params) {
  return state_->with_connection([&](Connection& session) {
    return session.query(sql, {params.begin(), params.size()});
  });
}

std::unique_ptr<Rows> Database::query(std::string_view sql, const std::vector<Parameter>& params) {
  return state_->with_connection([&](Connection& session) { return session.query(sql, params); });
}

std::uint64_t Database::execute(std::string_view sql, std::initializer_list<Parameter> params) {
  return state_->with_connection([&](Connection& session) {
    return session.execute(sql, {params.begin(), params.size()});
  });
}

std::uint64_t Database::execute(std::string_view sql, const std::vector<Parameter>& params) {
  return state_->with_connection([&](Connection& session) { return session.execute(sql, params); });
}

std::uint64_t Database::execute_once(std::string_view sql,
                                     std::initializer_list<Parameter> params) {
  return state_->with_connection(
      [&](Connection& session) {
        return session.execute(sql, {params.begin(), params.size()});
      },
      State::Repeat::no);
}

void Database::run(std::string_view sql) {
  state_->with_connection([&](Connection& session) { session.run(sql); });
}

std::int64_t Database::last_insert_id() {
  const auto rows = query("SELECT LAST_INSERT_ID()");
  rows->next();
  return rows->integer(1);
}

void Database::transaction(const std::function<void()>& work) {
  state_->enclose("START TRANSACTION", work);
}

void Database::read(const std::function<void()>& work) {
  if (state_->in_transaction) return work();
  state_->enclose("START TRANSACTION READ ONLY", work);
}

bool Database::in_transaction() const { return state_->in_transaction; }

}  // namespace goldsmith::db
