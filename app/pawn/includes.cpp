#include "app/pawn/includes.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostIncluded = 500;
constexpr std::size_t kLongestIncludedName = 1024;  // no file has a longer one

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// The name in `line`; "" if it is no such directive.
std::string_view included_in(std::string_view line) {
  skip_blanks(line);
  if (!take(line, "#")) return {};
  skip_blanks(line);
  if (!take(line, "include") && !take(line, "tryinclude")) return {};
  skip_blanks(line);
  const bool in_brackets = take(line, "<");
  const bool in_quotes = !in_brackets && take(line, "\"");
  if (in_brackets || in_quotes) line = line.substr(0, line.find(in_brackets ? '>' : '"'));
  skip_blanks(line);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string> included_names(std::string_view source) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (std::size_t at = 0; at < source.size() && names.size() < kMostIncluded;) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view name = included_in(source.substr(at, end - at));
    if (!name.empty() && name.size() <= kLongestIncludedName && known.insert(name).second) {
      names.emplace_back(name);
    }
    at = end + 1;
  }
  return names;
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
