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

namespace goldsmith::test {

inline constexpr const char* kNow = "2024-05-06 07:08:09";
inline constexpr const char* kLater = "2025-01-02 03:04:05";

// A migrated database and a connection to it.
struct DatabaseFixture {
  TestDatabase test_database;
  db::Database database{test_database.settings()};

  db::PluginStore plugins();
};

domain::PluginFile make_file(std::string_view filename, std::string_view content);
domain::PluginVersion make_version(std::string_view version, std::string_view created_at);
// Published, in category "fun", with one published version "1.0" of one source file.
domain::Plugin make_plugin(std::string_view slug, std::int64_t downloads = 0);

domain::Component make_component(std::string_view slug);
domain::ComponentVersion make_component_version(std::string_view version);

// The first column of the first row, as text; "" without rows.
std::string ask(db::Database& database, std::string_view sql);

std::vector<std::string> slugs(const std::vector<domain::PluginSummary>& plugins);

// For BOOST_CHECK_EXCEPTION.
struct ErrorOfKind {
  db::Error::Kind kind;
  std::string_view part = "";  // of what()
  bool operator()(const db::Error& error) const;
};

}  // namespace goldsmith::test
