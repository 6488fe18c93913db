// Where components come from, as rows and back. Private to db/.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

using ComponentsById = std::map<std::int64_t, domain::Component>;

// Adds to `components`, which are all that there are.
void load_upstreams(Database& database, ComponentsById& components);

// The component has no upstream yet.
void insert_upstream(Database& database, std::int64_t component_id,
                     const domain::Upstream& upstream);
void insert_sources(Database& database, std::int64_t version_id,
                    const std::vector<domain::Source>& sources);

}  // namespace goldsmith::db
