// Who changed what with the operator's command (decision O27). Functions throw db::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/timestamp.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Texts are cut to what the table takes.
struct Change {
  domain::Timestamp time{};
  std::string host;
  std::string user;
  std::string sudo_user;  // who became `user` with sudo; "" = nobody
  std::string command;    // "plugin publish"
  std::string arguments;  // as a shell takes them, without secrets
  std::string outcome;    // "done", "failed", "untried" or "interrupted"
  std::string problem;    // what a command that is not done said last
};

class ChangeLog {
 public:
  explicit ChangeLog(Database& database) : database_(database) {}

  // Does not move the revision: nothing that the API shows depends on it.
  void record(const Change& change);
  // Newest first, at most `limit`; those from `since` on.
  std::vector<Change> list(const std::optional<domain::Timestamp>& since, std::int64_t limit);
  std::int64_t count_before(domain::Timestamp time);
  // Returns how many.
  std::int64_t forget_before(domain::Timestamp time);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
