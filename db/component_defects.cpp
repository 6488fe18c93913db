#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/component_rows.hpp"
#include "db/records.hpp"

namespace goldsmith::db {
namespace {

Parameter or_null(const std::optional<domain::Version>& version) {
  return version ? Parameter(version->view()) : Parameter(nullptr);
}

}  // namespace

void load_defects(Database& database, ComponentsById& components) {
  const auto read = [](Row& row) {
    std::pair<std::int64_t, domain::Defect> read_one{row.integer("component_id"), {}};
    domain::Defect& defect = read_one.second;
    defect.text = row.text("defect");
    defect.since = row.optional_version("first_version");
    defect.until = row.optional_version("fixed_version");
    defect.source = row.text("source");
    defect.holds = row.flag("holds");
    defect.known_at = row.timestamp("known_at");
    return read_one;
  };
  Records rows(database, read, "FROM component_defects ORDER BY component_id, position");
  while (auto row = rows.next()) {
    components.at(row->first).defects.push_back(std::move(row->second));
  }
}

void replace_defects(Database& database, std::int64_t component_id,
                     const std::vector<domain::Defect>& defects) {
  const auto read = [](Row& row) {
    return std::pair{row.text("defect"), row.timestamp("known_at")};
  };
  const auto known =
      Records(database, read, "FROM component_defects WHERE component_id = ?", {component_id})
          .all<std::map<std::string, domain::Timestamp>>();
  database.execute("DELETE FROM component_defects WHERE component_id = ?", {component_id});
  std::int64_t position = 0;
  for (const domain::Defect& each : defects) {
    const auto former = known.find(each.text);
    database.execute(
        "INSERT INTO component_defects (component_id, position, defect, first_version,"
        " fixed_version, source, holds, known_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, COALESCE(?, UTC_TIMESTAMP()))",
        {component_id, position++, each.text, or_null(each.since), or_null(each.until), each.source,
         each.holds, former == known.end() ? Parameter(nullptr) : Parameter(former->second)});
  }
}

}  // namespace goldsmith::db
