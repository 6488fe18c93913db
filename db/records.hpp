// Records from the rows of a query, whose columns are named where they are read. Private to db/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Throws Error{other} for what goldsmith does not write: the row comes from a newer version, or
// from somebody's SQL. `what` names the value in the message: "layer".
[[noreturn]] void refuse_text(std::string_view text, std::string_view what);

// The columns of a row, from the first to the last: each function reads the next one, and is given
// its name for the select list. A function that reads a record is called once without a row, for
// these names; so it reads the same columns whatever is in them. Functions throw as refuse_text().
class Row {
 public:
  // No row: every column is NULL, whatever it may be.
  Row() = default;
  explicit Row(const Rows& rows) : rows_(&rows) {}

  // NULL is "", 0 and false.
  std::string text(std::string_view column);
  std::int64_t integer(std::string_view column);
  std::uint64_t size(std::string_view column) {
    return static_cast<std::uint64_t>(integer(column));
  }
  bool flag(std::string_view column) { return integer(column) != 0; }

  // NULL is absent.
  std::optional<std::string> nullable_text(std::string_view column);
  std::optional<std::int64_t> nullable_integer(std::string_view column);

  // What `parse` makes of the text; `what` as of refuse_text().
  template <class Parse>
  auto parsed(std::string_view column, Parse parse, std::string_view what) {
    const std::string value = text(column);
    const auto found = parse(value);
    if (!found && rows_ != nullptr) refuse_text(value, what);
    return found.value_or(typename decltype(parse(value))::value_type{});
  }
  domain::Slug slug(std::string_view column);
  domain::Version version(std::string_view column);
  domain::Timestamp timestamp(std::string_view column);

  // The same where NULL and '' are absent.
  template <class Parse>
  auto optional(std::string_view column, Parse parse, std::string_view what) {
    const std::string value = text(column);
    const auto found = parse(value);
    if (!found && !value.empty()) refuse_text(value, what);
    return found;
  }
  std::optional<std::string> optional_text(std::string_view column);
  std::optional<domain::Slug> optional_slug(std::string_view column);
  std::optional<domain::Version> optional_version(std::string_view column);
  std::optional<domain::Timestamp> optional_timestamp(std::string_view column);

  // Those that were read without a row.
  const std::string& select_list() const { return select_list_; }

 private:
  bool next(std::string_view column);

  const Rows* rows_ = nullptr;
  unsigned column_ = 0;
  std::string select_list_;
};

// What `read(Row&)` makes of each row of "SELECT columns REST", where `rest` begins with FROM.
template <class Read>
class Records {
 public:
  using Record = std::invoke_result_t<const Read&, Row&>;

  Records(Database& database, Read read, std::string_view rest, Parameters params)
      : read_(std::move(read)) {
    Row names;
    read_(names);
    rows_ = database.query(("SELECT " + names.select_list() + " ").append(rest), params);
  }
  Records(Database& database, Read read, std::string_view rest,
          std::initializer_list<Parameter> params = {})
      : Records(database, std::move(read), rest, Parameters(params.begin(), params.size())) {}

  // std::nullopt after the last.
  std::optional<Record> next() {
    if (!rows_->next()) return std::nullopt;
    Row row(*rows_);
    return read_(row);
  }
  // Those that are left; a map is of pairs.
  template <class Container = std::vector<Record>>
  Container all() {
    Container records;
    while (auto record = next()) records.insert(records.end(), std::move(*record));
    return records;
  }

 private:
  Read read_;
  std::unique_ptr<Rows> rows_;
};

// Of a table with the columns `time` and `id`: those from `since` on, newest first, at most
// `limit`.
template <class Read>
auto newest_entries(Database& database, Read read, std::string_view table,
                    const std::optional<domain::Timestamp>& since, std::int64_t limit) {
  std::string rest = "FROM ";
  rest.append(table).append(since ? " WHERE time >= ?" : "").append(" ORDER BY time DESC, id DESC");
  std::vector<Parameter> params;
  if (since) params.emplace_back(*since);
  params.emplace_back(limit);
  return Records(database, read, rest + " LIMIT ?", params).all();
}

}  // namespace goldsmith::db
