// The operator's settings as name and text; who reads them knows types, bounds and defaults.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "db/database.hpp"

namespace goldsmith::db {

class SettingStore {
 public:
  explicit SettingStore(Database& database) : database_(database) {}

  // The settings that are set; the others have their defaults. Throws db::Error.
  std::map<std::string, std::string> load();
  void set(std::string_view name, std::string_view value);

 private:
  Database& database_;
};

// The revision; app/access/freshness.hpp defines it.
std::int64_t read_revision(Database& database);

// The revision, with the number of changed verdicts about compiles and the newest download; what a
// replica has to have from now on.
Progress read_progress(Database& database);

}  // namespace goldsmith::db
