// Whether the service would accept a selection (decision S32), by the rules in the list of known
// files.
#pragma once

#include <string>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

struct SelectedVersion {
  ComponentId component = 0;
  std::string_view number;  // "" if the service has none to give
};

// What is wrong with it; empty if nothing is, or if the list has no rules.
std::vector<base::Message> problems_of(const KnownFiles& known,
                                       std::vector<SelectedVersion> selection, bool has_plugins);

}  // namespace goldsmith::owner
