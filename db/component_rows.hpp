// Components as rows and back. Private to db/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "app/domain/component.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

using ComponentIds = std::map<std::string, std::int64_t, std::less<>>;  // by slug

// 0 = there is none.
std::int64_t find_component_id(Database& database, std::string_view slug);

// Every component by id: definitions and versions, without the versions' files and
// sources. The caller sees to
// it that the queries share one view (Database::read).
std::map<std::int64_t, domain::Component> load_components(Database& database);

// Writes the row alone; returns its id.
std::int64_t insert_component(Database& database, const domain::Component& component);
void update_component(Database& database, std::int64_t id, const domain::Component& component);

// Replaces upstream, install rules, advice and rules. Every component that a rule names is in
// `ids`.
void replace_details(Database& database, std::int64_t id, const domain::Component& component,
                     const ComponentIds& ids);

// Replaces a version of that name. The files are sorted by path.
void replace_version(Database& database, std::int64_t component_id,
                     const domain::ComponentVersion& version);

}  // namespace goldsmith::db
