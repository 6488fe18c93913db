#include "db/public_names.hpp"

namespace goldsmith::db {

std::set<std::string> public_names(Database& database) {
  std::set<std::string> names;
  const auto rows = database.query(
      "SELECT CONCAT('key ', sha256) FROM api_keys WHERE NOT disabled"
      " UNION ALL SELECT CONCAT('plugin ', slug) FROM plugins WHERE status = 'published'"
      " UNION ALL SELECT CONCAT('plugin ', p.slug, ' ', v.version)"
      " FROM plugin_versions v JOIN plugins p ON p.id = v.plugin_id WHERE v.status = 'published'"
      " UNION ALL SELECT CONCAT('pack ', slug) FROM addon_packs WHERE status = 'published'"
      " UNION ALL SELECT CONCAT('component ', c.slug, ' ', v.version)"
      " FROM component_versions v JOIN components c ON c.id = v.component_id");
  while (rows->next()) names.insert(rows->text(1));
  return names;
}

}  // namespace goldsmith::db
