#include "app/cli/table.hpp"

#include <algorithm>
#include <ostream>

#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<Table::Column> Table::measure() const {
  std::vector<Column> columns(headers_.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].width = display_width(headers_[i]);
    for (const auto& row : rows_) {
      columns[i].width = std::max(columns[i].width, display_width(row.at(i)));
      columns[i].numeric = columns[i].numeric && is_number(row.at(i));
    }
  }
  return columns;
}

void Table::print(std::ostream& out) const {
  const std::vector<Column> columns = measure();
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string padding(columns[i].width - display_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns[i].numeric ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(headers_);
  for (const auto& row : rows_) print_row(row);
}

void print_fields(std::ostream& out,
                  const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t column = 0;
  for (const auto& [name, value] : fields) column = std::max(column, display_width(name) + 2);
  for (const auto& [name, value] : fields) {
    out << name;
    if (!value.empty()) out << std::string(column - display_width(name), ' ') << value;
    out << '\n';
  }
}

std::size_t display_width(std::string_view text) {
  return text.size() - static_cast<std::size_t>(
                           std::count_if(text.begin(), text.end(), sys::is_utf8_continuation));
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace goldsmith::cli
