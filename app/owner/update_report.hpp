// What an update says of what it does, and of what an owner has to look at.
#pragma once

#include <string>
#include <vector>

#include "app/owner/installation.hpp"
#include "app/owner/secrets.hpp"
#include "app/owner/update_plan.hpp"

namespace goldsmith::owner {

void show_plan(const Installation& installation, const WantedBuild& build, const Plan& plan);

// Configuration that was kept, or had to be replaced, apart from the thousand lines before it.
void show_configuration(const Installation& installation, const WantedBuild& build,
                        const Plan& plan);

// Of an installed server: configuration that the script of goldsmith 1.0.0 replaced; versions that
// the service holds back; what is known to be wrong with others; the line with which players
// download what the build has for them, which is told after a change, or where that of another
// build is there.
void show_replaced(const Installation& installation, const InstalledState& state);
void show_held(const Installation& installation, const std::string& held,
               const std::string& selection);
void show_defects(const Installation& installation, const WantedBuild& build);
void show_fastdl(const Installation& installation, const std::string& fastdl, bool is_changed);

// What every server has of the base game, if it is not there.
void show_missing_game(const Installation& installation);

// `made`: settings that got a value; those that are not set are told, too.
void show_secrets(const Installation& installation, const WantedBuild& build, const Plan& plan,
                  const std::vector<MadeSecret>& made);

}  // namespace goldsmith::owner
