// What game clients download from those who run a build (decision O22). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"

namespace goldsmith::creator {

// Whether clients may get what has that path below a game folder, as they ask for it
// ("models/crate.mdl"): a file of a kind and in a folder of what the engine sends them. Never what
// only servers have, such as programs, configuration, sources and whatever is below addons/.
bool is_resource(std::string_view path);

// The file of the build that clients get for such a path: that of cstrike/, or else of valve/, as
// the engine searches. Null if the build has none, or clients may not get it.
const PlannedFile* find_resource(const Plan& plan, std::string_view path);

// The paths that clients may get, in the order of the plan; each once.
std::vector<std::string> resource_paths(const Plan& plan);

// What a player who has none of it may have to download.
struct Downloads {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
Downloads downloads_of(const Plan& plan);

// What a list of a map (`maps/NAME.res`) names that neither the build nor the game has, in any
// letter case; each once, at most 20.
std::vector<std::string> missing_of_list(const Plan& plan, std::string_view list);

// A file of the build, and what it needs that is nowhere.
struct MissingFile {
  std::string of;    // from the root of the server
  std::string path;  // below a game folder
};
// The WADs that maps of components and plugins take textures of, as they were recorded, and that
// neither the build nor the game has; of the first 50 maps that lack one, at most 20 each.
std::vector<MissingFile> missing_wads(const Plan& plan);

}  // namespace goldsmith::creator
