// Rows as a table for people, or as JSON for scripts (--json): both follow from one list of
// columns.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "app/domain/timestamp.hpp"
#include "app/json/value.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {

// A time or the name of an enumerator is text, what is absent is "", and a rating an object.
template <typename Type>
json::Value to_json(const Type& value) {
  if constexpr (std::convertible_to<Type, json::Value>) {
    return value;
  } else if constexpr (requires { domain::format_timestamp(value); }) {
    return domain::format_timestamp(value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? to_json(*value) : "";
  } else if constexpr (requires { value.average(); }) {
    return json::Object{{"avg", value.average()}, {"count", value.count}, {"sum", value.sum}};
  } else if constexpr (requires { value.begin(); }) {
    return json::Array(value.begin(), value.end());
  } else {
    return to_string(value);
  }
}

// As a table shows it: true is "yes", and what an array holds is separated by commas.
inline std::string cell_text(const json::Value& value) {
  if (const std::string* text = value.as_string()) return *text;
  if (const bool* is_so = value.as_bool()) return yes_no(*is_so);
  if (const std::int64_t* number = value.as_integer()) return std::to_string(*number);
  const json::Array* array = value.as_array();
  return array ? sys::join(*array, ", ", cell_text) : "";
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

}  // namespace goldsmith::cli
