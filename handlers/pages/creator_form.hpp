// The components to choose from, layer by layer. Pure.
#pragma once

#include "app/domain/component.hpp"
#include "app/json/value.hpp"
#include "handlers/pages/creator_choice.hpp"

namespace goldsmith::handlers::pages {

// A list of {label, key, exclusive, components: […]}, without layers that have nothing to offer.
json::Array creator_form(const domain::Catalog& catalog, const Choice& choice);

}  // namespace goldsmith::handlers::pages
