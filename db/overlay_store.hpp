// Configuration overlays. Functions throw db::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/domain/overlay.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// The operator's own, one of the default catalog as it came, or one that was changed since.
enum class SectionSource { own, default_, changed };

struct ListedSection {
  domain::OverlaySection section;
  SectionSource source = SectionSource::own;
};

// A section by its path and component, and what an import did to it.
struct SectionChange {
  std::string path;
  std::string component;
  ImportChange change = ImportChange::unchanged;
};

class OverlayStore {
 public:
  explicit OverlayStore(Database& database) : database_(database) {}

  // All sections, by path, position, component.
  std::vector<domain::OverlaySection> load();
  // The same with their sources, for the operator: the workers' account can't ask for those.
  std::vector<ListedSection> list();

  // Creates or replaces the section of that path and component. A component that is not known:
  // db::Error{constraint}.
  void set(const domain::OverlaySection& section);
  // The same for all of them, in one transaction. The changes are in the order of the sections.
  std::vector<SectionChange> import(const std::vector<domain::OverlaySection>& sections);
  // The same for the sections of the default catalog, all of them: one that an earlier call brought
  // and these lack is removed. What the operator changed or removed since it was brought, or had
  // before, is kept as it is unless `replace`.
  std::vector<SectionChange> import_defaults(const std::vector<domain::OverlaySection>& sections,
                                             bool replace);

  // Number of sections removed; without a component all of the path.
  std::uint64_t remove(std::string_view path, const std::string* component);

 private:
  ImportChange put(const domain::OverlaySection& section);
  ImportChange put_default(const domain::OverlaySection& section, bool replace);
  std::vector<SectionChange> remove_retired(const std::vector<domain::OverlaySection>& sections);

  Database& database_;
};

}  // namespace goldsmith::db
