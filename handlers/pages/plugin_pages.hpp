// The search for plugins on the page of the server creator.
#pragma once

#include "app/base/json.hpp"
#include "app/domain/component.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers::pages {

// The first plugins that `q` matches and that are not chosen: a list of {slug, name, author,
// summary, version, works_with}. `works_with` is the line of the choice's AMX Mod X if a check has
// compiled the plugin with it, else "".
json::Array search_plugins(Services& services, const web::Query& query, const Choice& choice,
                           const domain::Catalog& catalog);

}  // namespace goldsmith::handlers::pages
