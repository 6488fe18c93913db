// Who may do what, and how often: API keys, settings, and the rate windows that hosts share.
// Functions throw db::Error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/permit.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// API keys. Functions throw db::Error.
class KeyStore {
 public:
  explicit KeyStore(Database& database) : database_(database) {}

  // By the SHA-256, in hex, of the key that the caller sent.
  std::optional<domain::ApiKey> find(std::string_view sha256);
  std::vector<domain::ApiKey> list();  // by id
  // Returns the new key's id.
  std::int64_t create(const domain::ApiKey& key);
  // False if there is no such key.
  bool set_disabled(std::int64_t id, bool disabled);
  bool remove(std::int64_t id);
  // For the worker: its user may update this column alone; does not increment the revision.
  void touch(std::int64_t id, domain::Timestamp now);
  // Replaces the quotas and the end of the key with that id. False if there is none.
  bool set_budgets(const domain::ApiKey& key);

  // Adds to what a key has used in an hour, for the worker; does not increment the revision. At
  // most once: a connection that is lost before the answer is Error{unavailable}.
  void add_uses(std::int64_t id, domain::Timestamp now, const domain::Uses& uses);
  // By id, of the hours that began since then; none of a key that was not used.
  std::map<std::int64_t, domain::Uses> uses_since(domain::Timestamp time);
  void forget_uses_before(domain::Timestamp time);

 private:
  Database& database_;
};

// The operator's settings as name and text; who reads them knows types, bounds and defaults.
class SettingStore {
 public:
  explicit SettingStore(Database& database) : database_(database) {}

  // The settings that are set; the others have their defaults. Throws db::Error.
  std::map<std::string, std::string> load();
  void set(std::string_view name, std::string_view value);

 private:
  Database& database_;
};

// The revision (app/limits/freshness.hpp), with the number of changed verdicts about compiles and
// the newest download; what a replica has to have from now on.
Progress read_progress(Database& database);

// Rate-limit windows for several hosts that share a database. Functions throw db::Error.
struct WindowCount {
  bool granted = false;
  std::int64_t used = 0;  // after this call; more if others counted at the same moment
};

class WindowStore {
 public:
  explicit WindowStore(Database& database) : database_(database) {}

  // Counts one for `subject` in the window of that length and end unless `limit` is reached; atomic
  // among all hosts. Times in seconds since the epoch. Counts at most once: a connection that is
  // lost before the answer is Error{unavailable}.
  WindowCount take(std::string_view subject, std::int64_t window_seconds, std::int64_t window_end,
                   std::int64_t limit);
  std::int64_t used(std::string_view subject, std::int64_t window_seconds, std::int64_t window_end);
  // By how many seconds the server's clock is ahead of `now`; 0 if they agree (kClocksApart).
  std::int64_t clock_ahead(std::int64_t now);
  // Deletes windows that ended before `now`; a few thousand per call, so that no call takes long.
  void prune(std::int64_t now);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
