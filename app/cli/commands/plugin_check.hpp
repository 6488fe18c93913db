// What `goldsmith plugin check` tells of compiles and starts.
#pragma once

#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "app/cli/output.hpp"
#include "app/directory/compile_checks.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {

// What `goldsmith plugin check` tells.
struct CheckedVersion {
  const db::CheckableVersion* version = nullptr;
  std::vector<directory::CheckedCompile> compiles;
  std::vector<domain::StartVerdict> starts = {};
};

// How many compiles ended how.
struct Totals {
  std::size_t compiled = 0;
  std::size_t ok = 0;
  std::size_t failed = 0;
  std::size_t undecided = 0;
  std::size_t without = 0;       // no result, because of this host
  std::set<std::string> causes;  // of those
};

Totals totals_of(const std::vector<CheckedVersion>& all);

// The table has a column for each toolchain; the JSON also tells needs and errors.
Listing<CheckedVersion> checked_listing();

// A table and a sum for people: all of them if plugins were named, otherwise those that do not
// compile everywhere.
void print_checked(const std::vector<CheckedVersion>& all, bool by_name, std::ostream& out);

}  // namespace goldsmith::cli
