#include "db/overlay_store.hpp"

#include "db/component_rows.hpp"
#include "db/revision.hpp"

namespace goldsmith::db {
namespace {

// NULL for a section of no component.
Parameter component_parameter(Database& database, const std::string& slug,
                              const std::string& path) {
  if (slug.empty()) return nullptr;
  const std::int64_t id = find_component_id(database, slug);
  if (id != 0) return id;
  throw Error(Error::Kind::constraint,
              "overlay " + path + ": there is no component \"" + slug + "\"");
}

}  // namespace

std::vector<domain::OverlaySection> OverlayStore::load() {
  std::vector<domain::OverlaySection> sections;
  const auto rows = database_.query(
      "SELECT o.path, COALESCE(c.slug, ''), o.position, o.content FROM overlay_sections o"
      " LEFT JOIN components c ON c.id = o.component_id"
      " ORDER BY o.path, o.position, COALESCE(c.slug, '')");
  while (rows->next()) {
    sections.push_back({rows->text(1), rows->text(2), rows->integer(3), rows->text(4)});
  }
  return sections;
}

void OverlayStore::set(const domain::OverlaySection& section) {
  change(database_, [&] {
    const Parameter component = component_parameter(database_, section.component, section.path);
    const auto rows =
        database_.query("SELECT id FROM overlay_sections WHERE path = ? AND component_id <=> ?",
                        {section.path, component});
    if (rows->next()) {
      return database_.execute("UPDATE overlay_sections SET position = ?, content = ? WHERE id = ?",
                               {section.position, section.content, rows->integer(1)}) > 0;
    }
    database_.execute(
        "INSERT INTO overlay_sections (path, component_id, position, content) VALUES (?, ?, ?, ?)",
        {section.path, component, section.position, section.content});
    return true;
  });
}

std::uint64_t OverlayStore::remove(std::string_view path, const std::string* component) {
  std::uint64_t removed = 0;
  change(database_, [&] {
    if (component == nullptr) {
      removed = database_.execute("DELETE FROM overlay_sections WHERE path = ?", {path});
      return removed > 0;
    }
    const std::int64_t id = find_component_id(database_, *component);
    if (id == 0 && !component->empty()) return false;
    removed =
        database_.execute("DELETE FROM overlay_sections WHERE path = ? AND component_id <=> ?",
                          {path, component->empty() ? Parameter(nullptr) : Parameter(id)});
    return removed > 0;
  });
  return removed;
}

}  // namespace goldsmith::db
