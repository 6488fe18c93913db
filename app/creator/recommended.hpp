// The recommended server, as far as its components are here (decision S1b). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::creator {

struct Recommended {
  std::vector<const domain::Component*> components;  // of the catalog, in load order
  // What of the catalog's defaults is not among them, why, and what stands in; sentences.
  std::vector<base::Message> absences;

  bool has(std::string_view slug) const;
};

// The default components of which a version is handed out. For one of an exclusive layer that is
// not here the next of its layer that goes with the others stands in, in load order and from the
// beginning after the last one. What then lacks what it requires or bundles is left out, too.
Recommended recommended(const domain::Catalog& catalog);

}  // namespace goldsmith::creator
