// What the database tests are made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"
#include "test/support/test_database.hpp"
#include "test/support/utc.hpp"

namespace goldsmith::test {

inline const domain::Timestamp kNow = "2024-05-06 07:08:09"_utc;
inline const domain::Timestamp kLater = "2025-01-02 03:04:05"_utc;

// A migrated database and a connection to it.
struct DatabaseFixture {
  TestDatabase test_database;
  db::Database database{test_database.settings()};

  db::PluginStore plugins();
};

domain::PluginFile make_file(std::string_view filename, std::string_view content);
domain::PluginVersion make_version(const domain::Version& version, domain::Timestamp created_at);
// Published, in category "fun", with one published version "1.0" of one source file.
domain::Plugin make_plugin(const domain::Slug& slug, std::int64_t downloads = 0);

domain::Component make_component(const domain::Slug& slug);
domain::ComponentVersion make_component_version(const domain::Version& version);

// The first column of the first row, as text; "" without rows.
std::string ask(db::Database& database, std::string_view sql);

bool is_mariadb(db::Database& database);

// How the server would read a table.
struct Plan {
  std::string table;
  std::string type;
  std::string key;
  std::int64_t rows = 0;  // as estimated
  std::string extra;
};
// The plans for the tables of a statement, in the order in which they are read.
std::vector<Plan> explain(db::Database& database, const std::string& sql);

// A counter of the present session, as SHOW STATUS has it.
std::int64_t session_status(db::Database& database, const std::string& name);

// The published plugins that match, in the order of lists, found the slow way.
std::vector<domain::PluginSummary> matching(db::PluginStore& store, const db::PluginFilter& filter);

std::vector<std::string> slugs(const std::vector<domain::PluginSummary>& plugins);

// For BOOST_CHECK_EXCEPTION.
struct ErrorOfKind {
  db::Error::Kind kind;
  std::string_view part = "";  // of what()
  bool operator()(const db::Error& error) const;
};

}  // namespace goldsmith::test
