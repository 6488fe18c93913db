#include "app/unpack/install.hpp"

#include <algorithm>
#include <array>

#include "app/domain/names.hpp"
#include "app/sys/glob.hpp"
#include "app/sys/text.hpp"
#include "app/unpack/refusal.hpp"
#include "app/unpack/safe_path.hpp"

namespace goldsmith::unpack {
namespace {

constexpr std::array<std::string_view, 7> kWindowsAndMacOs = {".pdb",   ".lib", ".dll", ".exe",
                                                              ".dylib", ".bat", ".cmd"};

bool is_foreign_name(std::string_view path) {
  const std::string name = sys::to_lower_ascii(path.substr(path.rfind('/') + 1));
  return std::any_of(kWindowsAndMacOs.begin(), kWindowsAndMacOs.end(),
                     [&](std::string_view extension) { return name.ends_with(extension); });
}

bool is_folder(std::string_view from) { return from.empty() || from.ends_with('/'); }

bool applies(const domain::PathMap& map, std::string_view path) {
  return is_folder(map.from) ? path.starts_with(map.from) && path.size() > map.from.size()
                             : path == map.from;
}

std::string below(std::string_view folder, std::string_view rest) {
  std::string path(folder);
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(rest);
}

// A file that is mapped to a folder ("" or with a slash at its end) keeps its own name there.
std::string target_of(const domain::PathMap& map, std::string_view path) {
  if (is_folder(map.from)) return below(map.to, path.substr(map.from.size()));
  return is_folder(map.to) ? below(map.to, path.substr(path.rfind('/') + 1)) : map.to;
}

std::optional<std::string> mapped(const std::vector<domain::PathMap>& maps, std::string_view path) {
  if (maps.empty()) return std::string(path);
  const domain::PathMap* longest = nullptr;
  for (const domain::PathMap& map : maps) {
    if (applies(map, path) && (!longest || map.from.size() > longest->from.size())) longest = &map;
  }
  if (!longest) return {};
  return target_of(*longest, path);
}

}  // namespace

std::optional<std::string> final_path(const domain::InstallRules& rules, const std::string& path,
                                      std::uint64_t max_length) {
  if (is_foreign_name(path) || matches_any(rules.drop, path)) return {};
  std::optional<std::string> target = mapped(rules.map, path);
  if (!target) return {};
  if (target->size() > max_length) {
    throw RefusedEntry("its final path is longer than " + std::to_string(max_length) + " bytes");
  }
  if (target->empty() || !domain::is_relative_path(*target)) {
    throw RefusedEntry("install.map gives it the unsafe path \"" + printable(*target) + '"');
  }
  return target;
}

bool matches_any(const std::vector<std::string>& globs, std::string_view path) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return sys::matches_glob(glob, path); });
}

}  // namespace goldsmith::unpack
