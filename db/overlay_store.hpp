// Configuration overlays. Functions throw db::Error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/component.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

struct ListedSection {
  domain::OverlaySection section;
  // "own": made by the operator; "default": imported from the default catalog; "changed": since
  // then.
  std::string source;
};

// A section, named by path and component, and what an import did to it.
struct SectionChange {
  std::string path;
  std::optional<domain::Slug> component;
  ImportChange change = ImportChange::unchanged;
};

class OverlayStore {
 public:
  explicit OverlayStore(Database& database) : database_(database) {}

  // All sections, by path, position, component.
  std::vector<domain::OverlaySection> load();
  // load() with the sources of the sections, for the operator: the workers' account may not read
  // those.
  std::vector<ListedSection> list();

  // Creates or replaces the section of that path and component. An unknown component:
  // db::Error{constraint}.
  void set(const domain::OverlaySection& section);
  // set() for all sections, in one transaction. The changes are in the order of the sections.
  std::vector<SectionChange> import(const std::vector<domain::OverlaySection>& sections);
  // import() for the sections of the default catalog; removes those that an earlier call imported
  // and that are not among `sections`. Unless `replace`, sections that the operator has made,
  // changed or removed stay as they are.
  std::vector<SectionChange> import_defaults(const std::vector<domain::OverlaySection>& sections,
                                             bool replace);

  // Removes every section of the path. Returns how many there were.
  std::uint64_t remove_all(std::string_view path);
  // Removes the section of that path and component, or of none. False if there is no such section.
  bool remove(std::string_view path, const std::optional<domain::Slug>& component);

 private:
  ImportChange put(const domain::OverlaySection& section);
  ImportChange put_default(const domain::OverlaySection& section, bool replace);
  std::vector<SectionChange> remove_retired(const std::vector<domain::OverlaySection>& sections);

  Database& database_;
};

}  // namespace goldsmith::db
