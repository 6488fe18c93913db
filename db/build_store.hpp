// The server archives that were built: what is known of each build hash. Functions throw db::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

struct Build {
  std::string build_hash;      // 64 hex digits
  std::string archive_sha256;  // hex
  std::uint64_t archive_bytes = 0;
  // A query string that gives the build hash, as long as nothing changes that it selects.
  std::string selection;

  friend bool operator==(const Build&, const Build&) = default;
};

// What is known of a build hash beyond its archive.
struct BuiltSelection {
  std::string selection;  // see Build
  std::optional<domain::Timestamp>
      built_at;  // by a download that redirected; absent = not recorded
};

class BuildStore {
 public:
  explicit BuildStore(Database& database) : database_(database) {}

  std::optional<Build> find(std::string_view build_hash);
  // Changes nothing if the build hash is recorded already: equal hashes have equal archives.
  void record(const Build& build, domain::Timestamp now);

  // Records the selection of an archive that has an address (decision O13), and with `is_built`
  // that a download has just built it.
  void note(std::string_view build_hash, std::string_view selection, domain::Timestamp now,
            bool is_built);
  // From either record.
  std::optional<BuiltSelection> find_selection(std::string_view build_hash);

  // Forgets what was recorded before `time`; who downloads such an archive records it again.
  // Returns how many.
  std::uint64_t forget_before(domain::Timestamp time);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
