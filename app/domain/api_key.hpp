// API keys: they raise limits and carry scopes (CONTRACT.md, "Authentication").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

struct ApiKey {
  std::int64_t id = 0;
  std::string name;
  std::string prefix;               // the first characters of the key, by which people recognise it
  std::string sha256;               // hex of the whole key; the key itself is never stored
  std::vector<std::string> scopes;  // "plugins:read", …
  std::int64_t per_minute = 0;
  std::int64_t per_day = 0;
  bool disabled = false;
  std::optional<Timestamp> expires_at;  // absent = never
  Timestamp created_at{};
  std::optional<Timestamp> last_used_at;  // absent = never; may lag by a minute
};

}  // namespace goldsmith::domain
