#include "app/cli/table.hpp"

#include <algorithm>
#include <ostream>

#include "app/domain/ascii.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), domain::is_digit);
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = sys::printable(cell);
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  std::vector<bool> are_numbers(headers_.size(), true);
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    widths.push_back(sys::display_width(headers_[i]));
    for (const auto& row : rows_) {
      widths[i] = std::max(widths[i], sys::display_width(row.at(i)));
      are_numbers[i] = are_numbers[i] && is_number(row.at(i));
    }
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - sys::display_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += are_numbers[i] ? padding + row[i] : row[i] + padding;
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
  for (const auto& [name, value] : fields) column = std::max(column, sys::display_width(name) + 2);
  for (const auto& [name, value] : fields) {
    out << name;
    if (!value.empty()) out << std::string(column - sys::display_width(name), ' ') << value;
    out << '\n';
  }
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace goldsmith::cli
