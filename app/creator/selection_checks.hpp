// Checks the rules and layers of a stack whose components and versions are known, and finds all
// problems at once (decision S3).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {

// Keys and values point into the catalog.
struct Stack {
  const domain::Catalog& catalog;
  std::map<std::string_view, Selected> selected;  // by slug
  std::set<std::string_view> unavailable;         // requested, not mirrored, already reported
};

// The name of the component, or `slug` if the catalog has no name for it.
std::string name_of(const domain::Catalog& catalog, std::string_view slug);

// Why the component, or `version` of it, can't be chosen: that is not mirrored.
std::string absence_of(const domain::Component& component, std::string_view version);

// Adds all problems to `invalid`: layer conflicts, conflicts, missing requirements, and `plugins`
// (slugs of directory plugins) without a platform.
void check_stack(const Stack& stack, const std::vector<std::string>& plugins,
                 InvalidSelection& invalid);

}  // namespace goldsmith::creator
