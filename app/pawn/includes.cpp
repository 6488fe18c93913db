#include "app/pawn/includes.hpp"

#include <algorithm>
#include <array>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

std::vector<std::string> included_names(std::string_view source) {
  return read_pawn(source, 0).includes;
}

std::vector<std::string> include_candidates(std::string_view name) {
  std::vector<std::string> candidates;
  for (const char* extension : {"", ".inc", ".p", ".pawn"}) {
    candidates.push_back(std::string(name) + extension);
  }
  return candidates;
}

bool is_placed(const domain::PluginFile& file) {
  static constexpr std::array<std::string_view, 24> kNoSources = {
      "7z",  "amx", "amxx", "bmp", "bsp", "dll", "exe", "gif", "gz",  "ico", "jpeg", "jpg",
      "mdl", "mp3", "nav",  "ogg", "png", "rar", "so",  "spr", "tga", "wad", "wav",  "zip"};
  const bool is_small = file.content.size() <= kLargestSource &&
                        file.size_bytes <= static_cast<std::int64_t>(kLargestSource);
  return is_small && !std::binary_search(kNoSources.begin(), kNoSources.end(), file.kind);
}

std::optional<std::string> folder_below(const domain::PluginFile& file,
                                        const domain::PluginFile& entry) {
  const std::string outer = entry.install_dir.empty() ? "" : entry.install_dir + "/";
  const bool below = file.install_dir != entry.install_dir && file.install_dir.starts_with(outer);
  if (!below) return std::nullopt;
  return file.install_dir.substr(outer.size());
}

}  // namespace goldsmith::pawn
