#include "db/access_store.hpp"

#include <chrono>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

std::string join(const std::vector<std::string>& scopes) {
  for (const std::string& scope : scopes) {
    if (scope.empty() || scope.find(',') != std::string::npos) {
      throw Error(Error::Kind::constraint, "\"" + scope + "\" is not a scope");
    }
  }
  return base::join(scopes, ",");
}

std::vector<std::string> split(std::string_view text) {
  if (text.empty()) return {};
  const std::vector<std::string_view> scopes = base::split(text, ',');
  return {scopes.begin(), scopes.end()};
}

Parameter nullable_number(const std::optional<std::int64_t>& number) {
  return number ? Parameter(*number) : Parameter(nullptr);
}

domain::ApiKey read_key(Row& row) {
  return {row.integer("id"),
          row.text("name"),
          row.text("prefix"),
          row.text("sha256"),
          split(row.text("scopes")),
          row.integer("per_minute"),
          row.integer("per_day"),
          row.nullable_integer("compiles_per_hour"),
          row.nullable_integer("builds_per_hour"),
          row.flag("disabled"),
          row.optional_timestamp("expires_at"),
          row.timestamp("created_at"),
          row.optional_timestamp("last_used_at")};
}

// Subject and length together name a bucket. Subjects are short: an address or the number of a key.
std::string bucket_of(std::string_view subject, std::int64_t window_seconds) {
  return fmt::format("{} {}", window_seconds, subject.substr(0, 100));
}

}  // namespace

std::optional<domain::ApiKey> KeyStore::find(std::string_view sha256) {
  if (!base::is_sha256_hex(sha256)) return std::nullopt;
  return Records(database_, read_key, "FROM api_keys WHERE sha256 = ?", {sha256}).next();
}

std::vector<domain::ApiKey> KeyStore::list() {
  return Records(database_, read_key, "FROM api_keys ORDER BY id").all();
}

std::int64_t KeyStore::create(const domain::ApiKey& key) {
  if (!base::is_sha256_hex(key.sha256)) {
    throw Error(Error::Kind::constraint,
                "key " + key.name + ": its digest is not a SHA-256 in hex");
  }
  const std::string scopes = join(key.scopes);
  std::int64_t id = 0;
  change(database_, [&] {
    database_.execute(
        "INSERT INTO api_keys (name, prefix, sha256, scopes, per_minute, per_day,"
        " compiles_per_hour, builds_per_hour, disabled, expires_at, created_at, last_used_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {key.name, key.prefix, key.sha256, scopes, key.per_minute, key.per_day,
         nullable_number(key.compiles_per_hour), nullable_number(key.builds_per_hour), key.disabled,
         nullable(key.expires_at), key.created_at, nullable(key.last_used_at)});
    id = database_.last_insert_id();
    return true;
  });
  return id;
}

bool KeyStore::set_disabled(std::int64_t id, bool disabled) {
  bool found = false;
  change(database_, [&] {
    found = database_.query("SELECT 1 FROM api_keys WHERE id = ?", {id})->next();
    return database_.execute("UPDATE api_keys SET disabled = ? WHERE id = ?", {disabled, id}) > 0;
  });
  return found;
}

bool KeyStore::remove(std::int64_t id) {
  bool removed = false;
  change(database_, [&] {
    removed = database_.execute("DELETE FROM api_keys WHERE id = ?", {id}) > 0;
    database_.execute("DELETE FROM key_uses WHERE key_id = ?", {id});
    return removed;
  });
  return removed;
}

void KeyStore::touch(std::int64_t id, domain::Timestamp now) {
  database_.execute("UPDATE api_keys SET last_used_at = ? WHERE id = ?", {now, id});
}

bool KeyStore::set_budgets(const domain::ApiKey& key) {
  bool found = false;
  change(database_, [&] {
    found = database_.query("SELECT 1 FROM api_keys WHERE id = ?", {key.id})->next();
    return database_.execute(
               "UPDATE api_keys SET per_minute = ?, per_day = ?, compiles_per_hour = ?,"
               " builds_per_hour = ?, expires_at = ? WHERE id = ?",
               {key.per_minute, key.per_day, nullable_number(key.compiles_per_hour),
                nullable_number(key.builds_per_hour), nullable(key.expires_at), key.id}) > 0;
  });
  return found;
}

void KeyStore::add_uses(std::int64_t id, domain::Timestamp now, const domain::Uses& uses) {
  const domain::Timestamp hour = std::chrono::floor<std::chrono::hours>(now);
  database_.execute_once(
      "INSERT INTO key_uses (key_id, hour, requests, compiles, builds) VALUES (?, ?, ?, ?, ?)"
      " ON DUPLICATE KEY UPDATE requests = requests + ?, compiles = compiles + ?,"
      " builds = builds + ?",
      {id, hour, uses.requests, uses.compiles, uses.builds, uses.requests, uses.compiles,
       uses.builds});
}

std::map<std::int64_t, domain::Uses> KeyStore::uses_since(domain::Timestamp time) {
  const auto read = [](Row& row) {
    return std::pair{row.integer("key_id"),
                     domain::Uses{row.integer("CAST(SUM(requests) AS SIGNED)"),
                                  row.integer("CAST(SUM(compiles) AS SIGNED)"),
                                  row.integer("CAST(SUM(builds) AS SIGNED)")}};
  };
  return Records(database_, read, "FROM key_uses WHERE hour >= ? GROUP BY key_id", {time})
      .all<std::map<std::int64_t, domain::Uses>>();
}

void KeyStore::forget_uses_before(domain::Timestamp time) {
  database_.execute("DELETE FROM key_uses WHERE hour < ?", {time});
}

std::map<std::string, std::string> SettingStore::load() {
  const auto read = [](Row& row) { return std::pair{row.text("name"), row.text("value")}; };
  return Records(database_, read, "FROM settings").all<std::map<std::string, std::string>>();
}

void SettingStore::set(std::string_view name, std::string_view value) {
  change(database_, [&] {
    // 1 row if inserted, 2 if updated, 0 if it had that value.
    return database_.execute(
               "INSERT INTO settings (name, value) VALUES (?, ?)"
               " ON DUPLICATE KEY UPDATE value = ?",
               {name, value, value}) > 0;
  });
}

WindowCount WindowStore::take(std::string_view subject, std::int64_t window_seconds,
                              std::int64_t window_end, std::int64_t limit) {
  // Reading may be repeated, so that a connection that was lost before goes unnoticed.
  const std::int64_t before = used(subject, window_seconds, window_end);
  if (before >= limit) return {false, before};
  const std::string bucket = bucket_of(subject, window_seconds);
  // One statement, so that hosts can't both take the last one, and never repeated, so that nothing
  // counts twice. Rows changed: 1 = new, 2 = counted, 0 = the limit was reached meanwhile.
  const std::uint64_t changed = database_.execute_once(
      "INSERT INTO rate_windows (bucket, window_start, used) VALUES (?, FROM_UNIXTIME(?), 1)"
      " ON DUPLICATE KEY UPDATE used = IF(used < ?, used + 1, used)",
      {bucket, window_end - window_seconds, limit});
  if (changed == 0) return {false, limit};
  return {true, before + 1};
}

std::int64_t WindowStore::used(std::string_view subject, std::int64_t window_seconds,
                               std::int64_t window_end) {
  const std::string bucket = bucket_of(subject, window_seconds);
  const auto rows = database_.query(
      "SELECT used FROM rate_windows WHERE bucket = ? AND window_start = FROM_UNIXTIME(?)",
      {bucket, window_end - window_seconds});
  return rows->next() ? rows->integer(1) : 0;
}

std::int64_t WindowStore::clock_ahead(std::int64_t now) {
  const auto rows = database_.query("SELECT UNIX_TIMESTAMP()");
  const std::int64_t ahead = rows->next() ? rows->integer(1) - now : 0;
  return std::abs(ahead) > kClocksApart ? ahead : 0;
}

// No window is longer than a day.
void WindowStore::prune(std::int64_t now) {
  database_.execute(
      "DELETE FROM rate_windows WHERE window_start < FROM_UNIXTIME(?) - INTERVAL 1 DAY LIMIT 10000",
      {now});
}

}  // namespace goldsmith::db
