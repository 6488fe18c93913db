// Where components come from, as rows and back. Private to db/.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

using ComponentsById = std::map<std::int64_t, domain::Component>;

// Precondition: `components` has every component of the database.
void load_upstreams(Database& database, ComponentsById& components);

// Precondition: the component has no upstream.
void insert_upstream(Database& database, std::int64_t component_id,
                     const domain::Upstream& upstream);
void insert_sources(Database& database, std::int64_t version_id,
                    const std::vector<domain::Source>& sources);

}  // namespace goldsmith::db
