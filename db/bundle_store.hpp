// What came with a bundle and is still as it came (decision O29): the rest is the host's own.
// Functions throw db::Error.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "db/database.hpp"

namespace goldsmith::db {

// By kind and name: a digest of what was imported.
using BundledItems = std::map<std::pair<std::string, std::string>, std::string>;

class BundleStore {
 public:
  explicit BundleStore(Database& database) : database_(database) {}

  BundledItems load();
  // Adds these, or gives them another digest. A name has 1,200 bytes at most.
  void record(const BundledItems& items);

 private:
  Database& database_;
};

}  // namespace goldsmith::db
