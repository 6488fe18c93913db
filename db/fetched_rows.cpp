#include "db/fetched_rows.hpp"

#include <cppconn/datatype.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>

#include <charconv>
#include <cstddef>
#include <system_error>

namespace goldsmith::db {
namespace {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

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

Cell read_cell(sql::ResultSet& result, unsigned column, ColumnKind kind) {
  Cell cell;
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
  throw Error(Error::Kind::other,
              "column " + std::to_string(column) + " is not a number: \"" + text + "\"");
}

class FetchedRows : public Rows {
 public:
  FetchedRows(std::vector<Cell> cells, std::size_t columns)
      : cells_(std::move(cells)), columns_(columns) {}

  bool next() override {
    if (end_ == cells_.size()) return false;
    end_ += columns_;
    return true;
  }

  std::string text(unsigned column) const override {
    const Cell& cell = at(column);
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&cell)) return std::to_string(*number);
    return "";
  }

  std::int64_t integer(unsigned column) const override {
    const Cell& cell = at(column);
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
    if (const auto* number = std::get_if<double>(&cell)) return static_cast<std::int64_t>(*number);
    if (const auto* text = std::get_if<std::string>(&cell)) {
      return parse_number<std::int64_t>(*text, column);
    }
    return 0;
  }

  double number(unsigned column) const override {
    const Cell& cell = at(column);
    if (const auto* number = std::get_if<double>(&cell)) return *number;
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
      return static_cast<double>(*integer);
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
      return parse_number<double>(*text, column);
    }
    return 0;
  }

  bool is_null(unsigned column) const override {
    return std::holds_alternative<std::monostate>(at(column));
  }

 private:
  const Cell& at(unsigned column) const {
    if (end_ == 0 || column < 1 || column > columns_) {
      throw std::out_of_range("there is no column " + std::to_string(column) + " to read");
    }
    return cells_[end_ - columns_ + column - 1];
  }

  std::vector<Cell> cells_;  // row by row
  std::size_t columns_;
  std::size_t end_ = 0;  // after the current row
};

}  // namespace

std::unique_ptr<Rows> fetch_rows(sql::ResultSet& result) {
  sql::ResultSetMetaData* const about = result.getMetaData();
  const unsigned columns = about->getColumnCount();
  std::vector<ColumnKind> kinds;
  for (unsigned column = 1; column <= columns; ++column) {
    kinds.push_back(kind_of(about->getColumnType(column)));
  }
  std::vector<Cell> cells;
  cells.reserve(result.rowsCount() * columns);
  while (result.next()) {
    for (unsigned column = 1; column <= columns; ++column) {
      cells.push_back(read_cell(result, column, kinds[column - 1]));
    }
  }
  return std::make_unique<FetchedRows>(std::move(cells), columns);
}

}  // namespace goldsmith::db
