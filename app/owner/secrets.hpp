// Settings that need a value of each server's own (decision S24).
#pragma once

#include <string>
#include <vector>

#include "app/owner/build_facts.hpp"
#include "app/owner/installation.hpp"

namespace goldsmith::owner {

struct MadeSecret {
  std::string setting;
  std::string file;
};

// Gives the empty settings of a file in kNew random values, which nothing prints, and adds them to
// `made`: its owner alone can read the file then. False if it has none. Throws Stop.
bool fill_secrets(const Installation& installation, const UpdateFacts& facts,
                  const std::string& path, std::vector<MadeSecret>& made);

}  // namespace goldsmith::owner
