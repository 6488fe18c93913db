// Columns of a row as the domain's values. Throws Error{other}, which names the value, for what
// goldsmith does not write: the row comes from a newer version, or from somebody's SQL. Private to
// db/.
#pragma once

#include <optional>
#include <string_view>

#include "app/domain/identifiers.hpp"
#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// `what` names the value in the message: "layer".
[[noreturn]] void refuse_text(std::string_view text, std::string_view what);
[[noreturn]] void refuse_column(const Rows& rows, unsigned column, std::string_view what);

template <class Value>
Value known(const std::optional<Value>& value, const Rows& rows, unsigned column,
            std::string_view what) {
  if (!value) refuse_column(rows, column, what);
  return *value;
}

domain::Slug read_slug(const Rows& rows, unsigned column);
domain::Version read_version(const Rows& rows, unsigned column);
domain::Timestamp read_timestamp(const Rows& rows, unsigned column);
// NULL and '' are absent.
std::optional<domain::Slug> read_optional_slug(const Rows& rows, unsigned column);
std::optional<domain::Version> read_optional_version(const Rows& rows, unsigned column);
std::optional<domain::Timestamp> read_optional_timestamp(const Rows& rows, unsigned column);

// An absent time is NULL.
Parameter nullable(const std::optional<domain::Timestamp>& time);

std::optional<std::string> read_optional_text(const Rows& rows, unsigned column);

// An absent value as ''. The view is valid as long as `value`.
template <class Text>
std::string_view text_or_empty(const std::optional<Text>& value) {
  return value ? std::string_view(*value) : std::string_view();
}

}  // namespace goldsmith::db
