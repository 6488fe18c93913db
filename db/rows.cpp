// What a query gives, and how its columns are read (database.hpp, records.hpp).
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cppconn/datatype.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <fmt/core.h>

#include "app/base/text.hpp"
#include "db/connection.hpp"
#include "db/database.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

bool is_integer(int type) {
  switch (type) {
    case sql::DataType::TINYINT:
    case sql::DataType::SMALLINT:
    case sql::DataType::MEDIUMINT:
    case sql::DataType::INTEGER:
    case sql::DataType::BIGINT:
    case sql::DataType::YEAR:
      return true;
    default:  // DECIMAL too: it is exact as text alone
      return false;
  }
}

Rows::Cell read_cell(sql::ResultSet& result, unsigned column, bool is_an_integer) {
  Rows::Cell cell;
  if (is_an_integer) {
    cell = result.getInt64(column);
  } else {
    cell = result.getString(column).asStdString();
  }
  if (result.wasNull()) cell = std::monostate{};
  return cell;
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
  return "";
}

std::int64_t Rows::integer(unsigned column) const {
  const Cell& cell = at(column);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return 0;
  if (const auto number = base::parse_number<std::int64_t>(*text)) return *number;
  throw Error(Error::Kind::other, fmt::format("column {} is not a number: \"{}\"", column, *text));
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
  std::vector<bool> are_integers;
  for (unsigned column = 1; column <= columns; ++column) {
    are_integers.push_back(is_integer(about->getColumnType(column)));
  }
  std::vector<Rows::Cell> cells;
  cells.reserve(result.rowsCount() * columns);
  while (result.next()) {
    for (unsigned column = 1; column <= columns; ++column) {
      cells.push_back(read_cell(result, column, are_integers[column - 1]));
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

bool Row::next(std::string_view column) {
  if (rows_ == nullptr) {
    select_list_.append(select_list_.empty() ? "" : ", ").append(column);
    return false;
  }
  ++column_;
  return true;
}

std::string Row::text(std::string_view column) {
  return next(column) ? rows_->text(column_) : std::string();
}

std::int64_t Row::integer(std::string_view column) {
  return next(column) ? rows_->integer(column_) : 0;
}

std::optional<std::string> Row::nullable_text(std::string_view column) {
  if (!next(column) || rows_->is_null(column_)) return std::nullopt;
  return rows_->text(column_);
}

std::optional<std::int64_t> Row::nullable_integer(std::string_view column) {
  if (!next(column) || rows_->is_null(column_)) return std::nullopt;
  return rows_->integer(column_);
}

domain::Slug Row::slug(std::string_view column) {
  return parsed(column, &domain::Slug::parse, "slug");
}

domain::Version Row::version(std::string_view column) {
  return parsed(column, &domain::Version::parse, "version");
}

domain::Timestamp Row::timestamp(std::string_view column) {
  return parsed(column, &domain::parse_timestamp, "time");
}

std::optional<std::string> Row::optional_text(std::string_view column) {
  std::string value = text(column);
  return value.empty() ? std::nullopt : std::optional(std::move(value));
}

std::optional<domain::Slug> Row::optional_slug(std::string_view column) {
  return optional(column, &domain::Slug::parse, "slug");
}

std::optional<domain::Version> Row::optional_version(std::string_view column) {
  return optional(column, &domain::Version::parse, "version");
}

std::optional<domain::Timestamp> Row::optional_timestamp(std::string_view column) {
  return optional(column, &domain::parse_timestamp, "time");
}

Parameter nullable(const std::optional<domain::Timestamp>& time) {
  return time ? Parameter(*time) : Parameter(nullptr);
}

}  // namespace goldsmith::db
