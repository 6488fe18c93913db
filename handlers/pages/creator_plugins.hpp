// The directory plugins on the page of the server creator. Pure.
#pragma once

#include "app/creator/plan.hpp"
#include "app/json/value.hpp"
#include "handlers/pages/creator_choice.hpp"

namespace goldsmith::handlers::pages {

// What came of each: a list of {name, version, left_out, needs, remarks: […]}.
json::Array planned_plugins(const creator::Plan& plan);

// Their boxes in the form: a list of {value, name, version, left_out}, `version` only of a pin.
json::Array plugin_boxes(const creator::Plan& plan, const Choice& choice);

}  // namespace goldsmith::handlers::pages
