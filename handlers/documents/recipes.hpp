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

// An egg in the format PTDL_v2, for Pterodactyl and Pelican.
json::Object egg(const Recipe& recipe);
std::string dockerfile(const Recipe& recipe);
// A compose file for the Dockerfile of the same selection.
std::string compose_file(const Recipe& recipe);
// The update stages of a template of the "Generic" module of CubeCoders AMP.
json::Array amp_stages(const Recipe& recipe, const creator::Plan& plan);

}  // namespace goldsmith::handlers::documents
