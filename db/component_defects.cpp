#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/component_rows.hpp"

namespace goldsmith::db {
namespace {

Parameter or_null(const std::optional<domain::Version>& version) {
  return version ? Parameter(version->view()) : Parameter(nullptr);
}

}  // namespace

void load_defects(Database& database, ComponentsById& components) {
  const auto rows = database.query(
      "SELECT component_id, defect, first_version, fixed_version, source, holds, known_at"
      " FROM component_defects ORDER BY component_id, position");
  while (rows->next()) {
    domain::Defect defect;
    defect.text = rows->text(2);
    defect.since = read_optional_version(*rows, 3);
    defect.until = read_optional_version(*rows, 4);
    defect.source = rows->text(5);
    defect.holds = rows->integer(6) != 0;
    defect.known_at = read_timestamp(*rows, 7);
    components.at(rows->integer(1)).defects.push_back(std::move(defect));
  }
}

void replace_defects(Database& database, std::int64_t component_id,
                     const std::vector<domain::Defect>& defects) {
  std::map<std::string, domain::Timestamp> known;
  {
    const auto rows = database.query(
        "SELECT defect, known_at FROM component_defects WHERE component_id = ?", {component_id});
    while (rows->next()) known.emplace(rows->text(1), read_timestamp(*rows, 2));
  }
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
