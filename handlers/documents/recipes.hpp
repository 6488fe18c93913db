// Ready-made files that install a selection on panels and in containers (decision S25). They are in
// the formats of those projects and have the link to the selection as a variable. Pure.
#pragma once

#include <string>

#include "app/creator/plan.hpp"
#include "app/json/value.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::documents {

struct Recipe {
  std::string selection;  // of creator::request_query()
  std::string site_name;
  std::string contact;  // an e-mail address, or anything else for none
  const views::Urls& urls;
};

// For Pterodactyl and Pelican: an egg in the format PTDL_v2.
json::Object egg(const Recipe& recipe);
std::string dockerfile(const Recipe& recipe);
// For the Dockerfile of the same selection.
std::string compose_file(const Recipe& recipe);
// For CubeCoders AMP: the update stages of a template of the "Generic" module.
json::Array amp_stages(const Recipe& recipe, const creator::Plan& plan);

}  // namespace goldsmith::handlers::documents
