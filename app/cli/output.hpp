// What commands print: tables, lists that are also JSON, escaped text, and the line of progress.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/count.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/cli/context.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::cli {

// Tables with aligned columns.
class Table {
 public:
  explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

  // As many cells as there are headers, each shown as base::printable().
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  // Columns of numbers are aligned to the right. A cell of more than 60 columns moves what follows
  // it in its own row, and no other row.
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

using base::count_of;

// Rows as a table for people, or as JSON for scripts (--json): both follow from one list of
// columns.

using domain::to_json;

// As a table shows it: true is "yes", and what an array holds is separated by commas.
inline std::string cell_text(const json::Value& value) {
  if (const std::string* text = value.as_string()) return *text;
  if (const bool* is_so = value.as_bool()) return yes_no(*is_so);
  if (const std::int64_t* number = value.as_integer()) return std::to_string(*number);
  const json::Array* array = value.as_array();
  return array ? base::join(*array, ", ", cell_text) : "";
}

// A pointer to a member of the row, or a function that takes the row.
template <typename Row>
class Getter {
 public:
  template <std::invocable<const Row&> Get>
  Getter(Get get)
      : get_([get = std::move(get)](const Row& row) { return to_json(std::invoke(get, row)); }) {}

  json::Value operator()(const Row& row) const { return get_(row); }

 private:
  std::function<json::Value(const Row&)> get_;
};

template <typename Row>
struct Column {
  std::string header = {};  // in the table; "" = not in it
  std::string field = {};   // in the JSON object; "" = not in it
  Getter<Row> value;
  std::string absent = {};  // what the table shows for ""
};

template <typename Row>
class Listing {
 public:
  Listing(std::vector<Column<Row>> columns) : columns_(std::move(columns)) {}

  json::Object object(const Row& row) const {
    json::Object object;
    for (const Column<Row>& column : columns_) {
      if (!column.field.empty()) object.emplace(column.field, column.value(row));
    }
    return object;
  }

  json::Array array(const auto& rows) const {
    return json::array_of(rows, [this](const Row& row) { return object(row); });
  }

  // The columns of the table, with their headers.
  std::vector<std::pair<std::string, std::string>> fields(const Row& row) const {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const Column<Row>& column : columns_) {
      if (column.header.empty()) continue;
      const std::string text = cell_text(column.value(row));
      fields.emplace_back(column.header, text.empty() ? column.absent : text);
    }
    return fields;
  }

  Table table(const auto& rows) const {
    std::vector<std::string> headers;
    for (const Column<Row>& column : columns_) {
      if (!column.header.empty()) headers.push_back(column.header);
    }
    Table table(std::move(headers));
    for (const Row& row : rows) {
      std::vector<std::string> cells;
      for (auto& [header, text] : fields(row)) cells.push_back(std::move(text));
      table.add(std::move(cells));
    }
    return table;
  }

  void print(const auto& rows, const Arguments& arguments, Context& context) const {
    print(rows, arguments, context, [&] { table(rows).print(context.out()); });
  }

  // With `print_text` in place of the table.
  void print(const auto& rows, const Arguments& arguments, Context& context,
             const std::invocable auto& print_text) const {
    if (arguments.has("json")) return context.print(array(rows));
    print_text();
  }

 private:
  std::vector<Column<Row>> columns_;
};

// What a command prints, as a terminal can show it, whatever a name or a text of strangers holds.

// Passes on each line as base::printable(), with its tabs; an incomplete one when it is flushed.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::ostream& out) : out_(out) {}  // must outlive the object
  ~PrintableBuffer() override;
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  void pass_on();

  std::ostream& out_;
  std::string line_;
};

// A progress line on a terminal, rewritten in place.
struct Transfer {
  std::string name;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0 = unknown
  std::chrono::milliseconds elapsed{0};
};

// "name  [#####.....]  52 %  1.2 of 2.3 MB  800 kB/s  2 s left" in at most `width` columns. If
// there is too little room, the bar is left out, then the name is shortened, then all of it.
std::string describe(const Transfer& transfer, std::size_t width);

class ProgressLine {
 public:
  // Writes nothing at all unless `is_terminal`.
  ProgressLine(std::ostream& terminal, bool is_terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view what);
  // Redraws at most ten times a second, and always at the end of a file.
  void show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total);
  // "12 of 300 plugins read"; draws at most ten times a second, and the last always.
  void show_count(std::string_view what, std::size_t done, std::size_t total);
  // Erases the line, before other output.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const std::string& line);

  std::ostream& terminal_;
  bool is_terminal_;
  bool drawn_ = false;
  std::string name_;
  Clock::time_point begun_;
  Clock::time_point drawn_at_;
};

}  // namespace goldsmith::cli
