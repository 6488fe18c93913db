// What can be wrong with a stack whose components are settled (decision S3).
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
  std::set<std::string_view> unavailable;         // wanted, can't be had, reported already
};

// The component's name, or the slug itself when the catalog has none for it.
const std::string& name_of(const domain::Catalog& catalog, const std::string& slug);

// Adds what is wrong to `invalid`: layers, conflicts, requirements, and `plugins` (slugs of the
// directory) without a platform.
void check_stack(const Stack& stack, const std::vector<std::string>& plugins,
                 InvalidSelection& invalid);

}  // namespace goldsmith::creator
