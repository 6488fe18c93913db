#include "db/key_store.hpp"

#include <string>

#include "app/sys/digest.hpp"
#include "app/sys/text.hpp"
#include "db/revision.hpp"
#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

std::string join(const std::vector<std::string>& scopes) {
  for (const std::string& scope : scopes) {
    if (scope.empty() || scope.find(',') != std::string::npos) {
      throw Error(Error::Kind::constraint, "\"" + scope + "\" is not a scope");
    }
  }
  return sys::join(scopes, ",");
}

std::vector<std::string> split(std::string_view text) {
  if (text.empty()) return {};
  const std::vector<std::string_view> scopes = sys::split(text, ',');
  return {scopes.begin(), scopes.end()};
}

constexpr std::string_view kSelect =
    "SELECT id, name, prefix, sha256, scopes, per_minute, per_day, disabled, expires_at,"
    " created_at, last_used_at FROM api_keys ";

domain::ApiKey read_key(const Rows& rows) {
  return {rows.integer(1),
          rows.text(2),
          rows.text(3),
          rows.text(4),
          split(rows.text(5)),
          rows.integer(6),
          rows.integer(7),
          rows.integer(8) != 0,
          read_optional_timestamp(rows, 9),
          read_timestamp(rows, 10),
          read_optional_timestamp(rows, 11)};
}

}  // namespace

std::optional<domain::ApiKey> KeyStore::find(std::string_view sha256) {
  if (!sys::is_sha256_hex(sha256)) return std::nullopt;
  const auto rows = database_.query(std::string(kSelect) + "WHERE sha256 = ?", {sha256});
  if (!rows->next()) return std::nullopt;
  return read_key(*rows);
}

std::vector<domain::ApiKey> KeyStore::list() {
  std::vector<domain::ApiKey> keys;
  const auto rows = database_.query(std::string(kSelect) + "ORDER BY id");
  while (rows->next()) keys.push_back(read_key(*rows));
  return keys;
}

std::int64_t KeyStore::create(const domain::ApiKey& key) {
  if (!sys::is_sha256_hex(key.sha256)) {
    throw Error(Error::Kind::constraint,
                "key " + key.name + ": its digest is not a SHA-256 in hex");
  }
  const std::string scopes = join(key.scopes);
  std::int64_t id = 0;
  change(database_, [&] {
    database_.execute(
        "INSERT INTO api_keys (name, prefix, sha256, scopes, per_minute, per_day, disabled,"
        " expires_at, created_at, last_used_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {key.name, key.prefix, key.sha256, scopes, key.per_minute, key.per_day, key.disabled,
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
    return removed;
  });
  return removed;
}

void KeyStore::touch(std::int64_t id, domain::Timestamp now) {
  database_.execute("UPDATE api_keys SET last_used_at = ? WHERE id = ?", {now, id});
}

}  // namespace goldsmith::db
