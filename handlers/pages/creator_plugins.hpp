// The plugins of the directory on the page of the server creator. Pure.
#pragma once

#include <map>
#include <vector>

#include "app/base/json.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/providers.hpp"
#include "db/plugin_store.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {

// `cost` of all plugins together, if any was measured, and `unmeasured`, how many were not.
void add_costs(const creator::Plan& plan, json::Object& result);

// The plugins of the directory that the build leaves out.
std::vector<domain::Slug> left_out_plugins(const creator::Plan& plan);

// What may help them: the verdicts on their newest versions.
struct PluginRemedies {
  const std::map<domain::Slug, db::PublishedVersion>& newest;
  const views::Fingerprints& fingerprints;
  const domain::Catalog& catalog;
  const creator::Providers& providers;
};

// Adds `has_plugins`, `plugins`, what came of each, and add_costs(): a list of {name, version,
// left_out, cost, needs, remarks: […], solutions: [{label, url}]}. The solutions are platforms that
// compile what is left out.
void add_plugins(const creator::Plan& plan, const Choice& choice, const PluginRemedies& remedies,
                 json::Object& result);

// Their boxes in the form: a list of {value, name, version, left_out}, `version` only of a pin.
json::Array plugin_boxes(const creator::Plan& plan, const Choice& choice);

}  // namespace goldsmith::handlers::pages
