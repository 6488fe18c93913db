#include "db/database.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <cppconn/datatype.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <fmt/core.h>

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
  Session* const session = reading([](Session& chosen) {
    chosen.begin("START TRANSACTION READ ONLY");
    return &chosen;
  });
  session->finish(work);
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

namespace {

enum class ColumnKind { integer, number, text };

ColumnKind kind_of(int type) {
  switch (type) {
    case sql::DataType::TINYINT:
    case sql::DataType::SMALLINT:
    case sql::DataType::MEDIUMINT:
    case sql::DataType::INTEGER:
    case sql::DataType::BIGINT:
    case sql::DataType::YEAR:
      return ColumnKind::integer;
    case sql::DataType::REAL:
    case sql::DataType::DOUBLE:
      return ColumnKind::number;
    default:  // DECIMAL too: it is exact as text alone
      return ColumnKind::text;
  }
}

Rows::Cell read_cell(sql::ResultSet& result, unsigned column, ColumnKind kind) {
  Rows::Cell cell;
  switch (kind) {
    case ColumnKind::integer:
      cell = result.getInt64(column);
      break;
    case ColumnKind::number:
      cell = static_cast<double>(result.getDouble(column));
      break;
    case ColumnKind::text:
      cell = result.getString(column).asStdString();
      break;
  }
  if (result.wasNull()) cell = std::monostate{};
  return cell;
}

template <class Number>
Number parse_number(const std::string& text, unsigned column) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end) return number;
  throw Error(Error::Kind::other, fmt::format("column {} is not a number: \"{}\"", column, text));
}

}  // namespace

bool Rows::next() {
  if (end_ == cells_.size()) return false;
  end_ += columns_;
  return true;
}

std::string Rows::text(unsigned column) const {
  const Cell& cell = at(column);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return std::to_string(*number);
  return "";
}

std::int64_t Rows::integer(unsigned column) const {
  const Cell& cell = at(column);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) return static_cast<std::int64_t>(*number);
  const auto* text = std::get_if<std::string>(&cell);
  return text ? parse_number<std::int64_t>(*text, column) : 0;
}

double Rows::number(unsigned column) const {
  const Cell& cell = at(column);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  const auto* text = std::get_if<std::string>(&cell);
  return text ? parse_number<double>(*text, column) : 0;
}

bool Rows::is_null(unsigned column) const {
  return std::holds_alternative<std::monostate>(at(column));
}

const Rows::Cell& Rows::at(unsigned column) const {
  if (end_ == 0 || column < 1 || column > columns_) {
    throw std::out_of_range(fmt::format("there is no column {} to read", column));
  }
  return cells_[end_ - columns_ + column - 1];
}

std::unique_ptr<Rows> fetch_rows(sql::ResultSet& result) {
  sql::ResultSetMetaData* const about = result.getMetaData();
  const unsigned columns = about->getColumnCount();
  std::vector<ColumnKind> kinds;
  for (unsigned column = 1; column <= columns; ++column) {
    kinds.push_back(kind_of(about->getColumnType(column)));
  }
  std::vector<Rows::Cell> cells;
  cells.reserve(result.rowsCount() * columns);
  while (result.next()) {
    for (unsigned column = 1; column <= columns; ++column) {
      cells.push_back(read_cell(result, column, kinds[column - 1]));
    }
  }
  return std::make_unique<Rows>(std::move(cells), columns);
}

void refuse_text(std::string_view text, std::string_view what) {
  throw Error(
      Error::Kind::other,
      fmt::format("the database holds an unknown {}, \"{}\"; was it written by a newer version?",
                  what, text));
}

void refuse_column(const Rows& rows, unsigned column, std::string_view what) {
  refuse_text(rows.text(column), what);
}

domain::Slug read_slug(const Rows& rows, unsigned column) {
  return known(domain::Slug::parse(rows.text(column)), rows, column, "slug");
}

domain::Version read_version(const Rows& rows, unsigned column) {
  return known(domain::Version::parse(rows.text(column)), rows, column, "version");
}

domain::Timestamp read_timestamp(const Rows& rows, unsigned column) {
  return known(domain::parse_timestamp(rows.text(column)), rows, column, "time");
}

std::optional<domain::Slug> read_optional_slug(const Rows& rows, unsigned column) {
  if (rows.text(column).empty()) return std::nullopt;
  return read_slug(rows, column);
}

std::optional<domain::Version> read_optional_version(const Rows& rows, unsigned column) {
  if (rows.text(column).empty()) return std::nullopt;
  return read_version(rows, column);
}

std::optional<domain::Timestamp> read_optional_timestamp(const Rows& rows, unsigned column) {
  if (rows.is_null(column)) return std::nullopt;
  return read_timestamp(rows, column);
}

std::optional<std::string> read_optional_text(const Rows& rows, unsigned column) {
  std::string text = rows.text(column);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

Parameter nullable(const std::optional<domain::Timestamp>& time) {
  return time ? Parameter(*time) : Parameter(nullptr);
}

namespace {

// Rows per statement. A few fixed sizes, so that prepared statements are reused; the largest stays
// well below the 65,535 parameters and the packet size that a server accepts.
constexpr std::array<std::size_t, 4> kBatches = {512, 64, 8, 1};

std::string statement(std::string_view insert, std::size_t columns, std::size_t rows) {
  std::string row = "(?";
  for (std::size_t column = 1; column < columns; ++column) row += ", ?";
  row += ")";
  std::string sql(insert);
  for (std::size_t i = 0; i < rows; ++i) sql += (i == 0 ? " " : ", ") + row;
  return sql;
}

}  // namespace

void insert_rows(Database& database, std::string_view insert, std::size_t columns,
                 const std::vector<Parameter>& values) {
  if (columns == 0 || values.size() % columns != 0) {
    throw std::logic_error("insert_rows: the values don't fill whole rows");
  }
  auto begin = values.begin();
  for (const std::size_t batch : kBatches) {
    const auto size = static_cast<std::ptrdiff_t>(batch * columns);
    if (values.end() - begin < size) continue;
    const std::string sql = statement(insert, columns, batch);
    for (; values.end() - begin >= size; begin += size) {
      database.execute(sql, std::vector<Parameter>(begin, begin + size));
    }
  }
}

std::unique_ptr<Rows> newest_entries(Database& database, std::string select,
                                     const std::optional<domain::Timestamp>& since,
                                     std::int64_t limit) {
  std::vector<Parameter> params;
  if (since) {
    select += " WHERE time >= ?";
    params.emplace_back(*since);
  }
  params.emplace_back(limit);
  return database.query(select + " ORDER BY time DESC, id DESC LIMIT ?", params);
}

}  // namespace goldsmith::db
