// What a query gives, and how its columns are read (database.hpp).
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cppconn/datatype.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <fmt/core.h>

#include "db/connection.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

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

}  // namespace goldsmith::db
