// The components to choose from, layer by layer, and why a selection cannot be built, with links
// that solve it. Pure.
#pragma once

#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"
#include "app/json/value.hpp"
#include "handlers/pages/creator_choice.hpp"

namespace goldsmith::handlers::pages {

// A list of {label, key, exclusive, components: […]}, without layers that have nothing to offer.
json::Array creator_form(const domain::Catalog& catalog, const Choice& choice);

// A list of {text, solutions: [{label, url}]}.
json::Array problems_of(const creator::InvalidSelection& invalid, const Choice& choice,
                        const domain::Catalog& catalog);

// The note of the rule by which two components conflict, in either direction; "" if they do not.
std::string conflict_note(const domain::Component& left, const domain::Component& right,
                          const Choice& choice);

// Why a component that is not chosen would not work with what is; "" if it would.
std::string obstacle_of(const domain::Component& component, const Choice& choice,
                        const domain::Catalog& catalog);

}  // namespace goldsmith::handlers::pages
