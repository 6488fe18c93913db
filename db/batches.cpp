// Statements that insert many rows at once (database.hpp).
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"

namespace goldsmith::db {

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

}  // namespace goldsmith::db
