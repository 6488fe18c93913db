// Components as rows and back. Private to db/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

using ComponentIds = std::map<domain::Slug, std::int64_t>;
using ComponentsById = std::map<std::int64_t, domain::Component>;

// 0 if there is no such component.
std::int64_t find_component_id(Database& database, const domain::Slug& slug);

// Every component by id, with its versions, but without their files and sources. The caller makes
// sure that all queries see the same data (Database::read).
ComponentsById load_components(Database& database);

// Writes the row alone; returns its id.
std::int64_t insert_component(Database& database, const domain::Component& component);
void update_component(Database& database, std::int64_t id, const domain::Component& component);

// Replaces upstream, install rules, advice, defects and rules. Precondition: `ids` has every
// component that a rule names.
void replace_details(Database& database, std::int64_t id, const domain::Component& component,
                     const ComponentIds& ids);

// Replaces a version of that name. The files are sorted by path.
void replace_version(Database& database, std::int64_t component_id,
                     const domain::ComponentVersion& version);

// Where components come from.
// Precondition: `components` has every component of the database.
void load_upstreams(Database& database, ComponentsById& components);

// Precondition: the component has no upstream.
void insert_upstream(Database& database, std::int64_t component_id,
                     const domain::Upstream& upstream);
void insert_sources(Database& database, std::int64_t version_id,
                    const std::vector<domain::Source>& sources);

// What is wrong with them.
// Precondition: `components` has every component of the database.
void load_defects(Database& database, ComponentsById& components);
// One that was known keeps the time of that.
void replace_defects(Database& database, std::int64_t component_id,
                     const std::vector<domain::Defect>& defects);

}  // namespace goldsmith::db
