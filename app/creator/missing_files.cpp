#include "app/creator/missing_files.hpp"

#include <algorithm>

#include "app/creator/base_game_files.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

constexpr std::size_t kNamedFiles = 3;

}  // namespace

bool is_in_base_game(std::string_view path) {
  const auto names = base_game_files();
  return std::binary_search(names.begin(), names.end(), path);
}

std::string missing_files_remark(const std::vector<domain::PrecachedFile>& missing) {
  if (missing.empty()) return "";
  std::vector<std::string> names;
  for (const bool are_models : {true, false}) {
    for (const domain::PrecachedFile& file : missing) {
      if (file.is_model == are_models) names.push_back(file.path);
    }
  }
  const bool stops_maps =
      std::any_of(missing.begin(), missing.end(),
                  [](const domain::PrecachedFile& file) { return file.is_model; });
  const bool is_one = names.size() == 1;
  return "it needs " + sys::join_some(names, kNamedFiles) + ", which " + (is_one ? "is" : "are") +
         " in no part of this server. " +
         (stops_maps ? "A map does not start without a model that a plugin precaches: "
                     : "Players miss what is not there: ") +
         "add the " + (is_one ? "file" : "files") + " unless your game has " +
         (is_one ? "it" : "them") + ".";
}

}  // namespace goldsmith::creator
