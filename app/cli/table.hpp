// Tables with aligned columns.
#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

  // As many cells as there are headers, each shown as sys::printable().
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  // Columns of numbers are aligned to the right.
  void print(std::ostream& out) const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

// "name   value" a line, the values in one column.
void print_fields(std::ostream& out,
                  const std::vector<std::pair<std::string, std::string>>& fields);

// "yes" or "no".
std::string yes_no(bool value);

// "1 file", "2 files".
std::string count_of(std::integral auto count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

}  // namespace goldsmith::cli
