// What names that sources use and files that logs name are, for who explains a log (decision S41).
// Pure.
#pragma once

#include <string>
#include <vector>

#include "app/creator/name_index.hpp"
#include "app/domain/component.hpp"
#include "handlers/documents/known_files.hpp"

namespace goldsmith::handlers::documents {

// The document, at most 16 MB: what does not fit is left out. `libraries`: of all mirrored
// versions.
std::string known_names(const std::string& service, const creator::NameIndex& names,
                        const domain::Catalog& catalog, const domain::VersionFiles& libraries,
                        const std::vector<KnownPlugin>& plugins,
                        const views::Fingerprints& fingerprints);

}  // namespace goldsmith::handlers::documents
