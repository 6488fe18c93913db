// db/catalog as the tests see it.
#pragma once

#include <string>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::test {

// Every component, as imported: none has a version.
const std::vector<domain::Component>& components();
// Throws std::out_of_range.
const domain::Component& component(const domain::Slug& slug);

// The components, each with a mirrored version "1" that has the files that sections replace.
const domain::Catalog& mirrored_catalog();

const std::vector<domain::OverlaySection>& sections();

// The configuration files that a component is known to ship and that sections replace.
std::vector<std::string> known_files(const domain::Slug& slug);

}  // namespace goldsmith::test
