#include "db/overlay_store.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "db/component_rows.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/records.hpp"

namespace goldsmith::db {
namespace {

// NULL for a section without a component.
Parameter component_parameter(Database& database, const domain::OverlaySection& section) {
  if (!section.component) return nullptr;
  const std::int64_t id = find_component_id(database, *section.component);
  if (id != 0) return id;
  throw Error(Error::Kind::constraint,
              "overlay " + section.path + ": there is no component \"" + *section.component + "\"");
}

// Of overlay_sections, which is o, and components, which is c.
domain::OverlaySection read_section(Row& row) {
  return {row.text("o.path"), row.optional_slug("c.slug"), row.integer("o.position"),
          row.text("o.content")};
}

bool is_change(ImportChange change) {
  return change != ImportChange::unchanged && change != ImportChange::kept;
}

bool any_change(const std::vector<SectionChange>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const SectionChange& each) { return is_change(each.change); });
}

// The stored section of a path and component, compared with the one to be imported.
struct StoredState {
  bool exists = false;
  bool is_equal = false;
  bool was_imported = false;  // by an earlier import of the defaults
  bool is_unchanged = false;  // since then

  bool belongs_to_operator() const { return exists ? !is_unchanged : was_imported; }
};

StoredState stored_state(Database& database, const domain::OverlaySection& section) {
  const Parameter component = component_parameter(database, section);
  const auto read = [](Row& row) {
    return StoredState{row.flag("o.id IS NOT NULL"), row.flag("o.position = ? AND o.content = ?"),
                       row.flag("d.digest IS NOT NULL"),
                       row.flag("d.digest = SHA2(CONCAT(o.position, ':', o.content), 256)")};
  };
  return Records(database, read,
                 "FROM (SELECT 1) one"
                 " LEFT JOIN overlay_sections o ON o.path = ? AND o.component_id <=> ?"
                 " LEFT JOIN overlay_defaults d ON d.path = ? AND d.component = ?",
                 {section.position, section.content, section.path, component, section.path,
                  text_or_empty(section.component)})
      .next()
      .value();
}

// Notes that the stored section is the default.
void record_default(Database& database, const domain::OverlaySection& section) {
  const Parameter component = component_parameter(database, section);
  database.execute(
      "REPLACE INTO overlay_defaults (path, component, digest)"
      " SELECT path, ?, SHA2(CONCAT(position, ':', content), 256) FROM overlay_sections"
      " WHERE path = ? AND component_id <=> ?",
      {text_or_empty(section.component), section.path, component});
}

}  // namespace

std::vector<domain::OverlaySection> OverlayStore::load() {
  return Records(database_, read_section,
                 "FROM overlay_sections o LEFT JOIN components c ON c.id = o.component_id"
                 " ORDER BY o.path, o.position, COALESCE(c.slug, '')")
      .all();
}

std::vector<ListedSection> OverlayStore::list() {
  const auto read = [](Row& row) {
    return ListedSection{
        read_section(row),
        row.text("CASE WHEN d.digest IS NULL THEN 'own'"
                 " WHEN d.digest = SHA2(CONCAT(o.position, ':', o.content), 256) THEN 'default'"
                 " ELSE 'changed' END")};
  };
  return Records(
             database_, read,
             "FROM overlay_sections o LEFT JOIN components c ON c.id = o.component_id"
             " LEFT JOIN overlay_defaults d ON d.path = o.path AND d.component = COALESCE(c.slug, "
             "'') ORDER BY o.path, o.position, COALESCE(c.slug, '')")
      .all();
}

void OverlayStore::set(const domain::OverlaySection& section) { import({section}); }

std::vector<SectionChange> OverlayStore::import(
    const std::vector<domain::OverlaySection>& sections) {
  std::vector<SectionChange> changes;
  change(database_, [&] {
    for (const domain::OverlaySection& section : sections) {
      changes.push_back({section.path, section.component, put(section)});
    }
    return any_change(changes);
  });
  return changes;
}

std::vector<SectionChange> OverlayStore::import_defaults(
    const std::vector<domain::OverlaySection>& sections, bool replace) {
  std::vector<SectionChange> changes;
  change(database_, [&] {
    for (const domain::OverlaySection& section : sections) {
      changes.push_back({section.path, section.component, put_default(section, replace)});
    }
    for (SectionChange& each : remove_retired(sections)) changes.push_back(std::move(each));
    return any_change(changes);
  });
  return changes;
}

std::uint64_t OverlayStore::remove_all(std::string_view path) {
  std::uint64_t removed = 0;
  change(database_, [&] {
    removed = database_.execute("DELETE FROM overlay_sections WHERE path = ?", {path});
    return removed > 0;
  });
  return removed;
}

bool OverlayStore::remove(std::string_view path, const std::optional<domain::Slug>& component) {
  bool removed = false;
  change(database_, [&] {
    const std::int64_t id = component ? find_component_id(database_, *component) : 0;
    if (component && id == 0) return false;
    removed =
        database_.execute("DELETE FROM overlay_sections WHERE path = ? AND component_id <=> ?",
                          {path, component ? Parameter(id) : Parameter(nullptr)}) > 0;
    return removed;
  });
  return removed;
}

ImportChange OverlayStore::put(const domain::OverlaySection& section) {
  const Parameter component = component_parameter(database_, section);
  const auto rows =
      database_.query("SELECT id FROM overlay_sections WHERE path = ? AND component_id <=> ?",
                      {section.path, component});
  if (rows->next()) {
    const bool changed =
        database_.execute("UPDATE overlay_sections SET position = ?, content = ? WHERE id = ?",
                          {section.position, section.content, rows->integer(1)}) > 0;
    return changed ? ImportChange::updated : ImportChange::unchanged;
  }
  database_.execute(
      "INSERT INTO overlay_sections (path, component_id, position, content) VALUES (?, ?, ?, ?)",
      {section.path, component, section.position, section.content});
  return ImportChange::created;
}

ImportChange OverlayStore::put_default(const domain::OverlaySection& section, bool replace) {
  const StoredState stored = stored_state(database_, section);
  if (stored.belongs_to_operator() && !stored.is_equal && !replace) return ImportChange::kept;
  const ImportChange change = put(section);
  record_default(database_, section);
  return change;
}

std::vector<SectionChange> OverlayStore::remove_retired(
    const std::vector<domain::OverlaySection>& sections) {
  std::set<std::pair<std::string_view, std::optional<domain::Slug>>> wanted;
  for (const domain::OverlaySection& each : sections) wanted.emplace(each.path, each.component);
  struct Default {
    std::string path;
    std::optional<domain::Slug> component;
    std::int64_t unchanged_id = 0;  // 0 = changed by the operator
  };
  const auto read = [](Row& row) {
    return Default{
        row.text("d.path"), row.optional_slug("d.component"),
        row.integer("IF(d.digest = SHA2(CONCAT(o.position, ':', o.content), 256), o.id, 0)")};
  };
  Records rows(database_, read,
               "FROM overlay_defaults d LEFT JOIN components c ON c.slug = d.component"
               " LEFT JOIN overlay_sections o ON o.path = d.path AND o.component_id <=> c.id"
               " AND (c.id IS NOT NULL OR d.component = '') ORDER BY d.path, d.component");
  std::vector<SectionChange> removed;
  while (const auto row = rows.next()) {
    if (wanted.contains({row->path, row->component})) continue;
    database_.execute("DELETE FROM overlay_defaults WHERE path = ? AND component = ?",
                      {row->path, text_or_empty(row->component)});
    if (row->unchanged_id == 0) continue;
    database_.execute("DELETE FROM overlay_sections WHERE id = ?", {row->unchanged_id});
    removed.push_back({row->path, row->component, ImportChange::removed});
  }
  return removed;
}

}  // namespace goldsmith::db
