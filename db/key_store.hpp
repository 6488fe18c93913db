// API keys. Functions throw db::Error.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/domain/api_key.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

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

 private:
  Database& database_;
};

}  // namespace goldsmith::db
