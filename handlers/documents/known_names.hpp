// What names that sources use and files that logs name are, for who explains a log (decision S41).
// Pure.
#pragma once

#include <string>

#include "app/creator/name_index.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::handlers::documents {

// The document, at most 16 MB: homes that do not fit are left out. `libraries`: of all mirrored
// versions.
std::string known_names(const std::string& service, const creator::NameIndex& names,
                        const domain::Catalog& catalog, const domain::VersionFiles& libraries);

}  // namespace goldsmith::handlers::documents
