#include "db/typed_rows.hpp"

namespace goldsmith::db {

void refuse_text(std::string_view text, std::string_view what) {
  throw Error(Error::Kind::other, "the database holds an unknown " + std::string(what) + ", \"" +
                                      std::string(text) + "\"; was it written by a newer version?");
}

void refuse_column(const Rows& rows, unsigned column, std::string_view what) {
  refuse_text(rows.text(column), what);
}

domain::Slug read_slug(const Rows& rows, unsigned column) {
  return known(domain::Slug::parse(rows.text(column)), rows, column, "slug");
}

domain::Version read_version(const Rows& rows, unsigned column) {
  return known(domain::Version::parse(rows.text(column)), rows, column, "version");
}

domain::Timestamp read_timestamp(const Rows& rows, unsigned column) {
  return known(domain::parse_timestamp(rows.text(column)), rows, column, "time");
}

std::optional<domain::Slug> read_optional_slug(const Rows& rows, unsigned column) {
  if (rows.text(column).empty()) return std::nullopt;
  return read_slug(rows, column);
}

std::optional<domain::Version> read_optional_version(const Rows& rows, unsigned column) {
  if (rows.text(column).empty()) return std::nullopt;
  return read_version(rows, column);
}

std::optional<domain::Timestamp> read_optional_timestamp(const Rows& rows, unsigned column) {
  if (rows.is_null(column)) return std::nullopt;
  return read_timestamp(rows, column);
}

std::optional<std::string> read_optional_text(const Rows& rows, unsigned column) {
  std::string text = rows.text(column);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

Parameter nullable(const std::optional<domain::Timestamp>& time) {
  return time ? Parameter(*time) : Parameter(nullptr);
}

}  // namespace goldsmith::db
