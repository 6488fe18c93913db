#include "app/owner/gathering.hpp"

#include <algorithm>
#include <utility>

namespace goldsmith::owner {

bool is_odd(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7F' || c == '\\';
  });
}

bool may_have_other_ends(const KnownFiles& known, std::string_view path) {
  return !known.at(path).empty() || path.ends_with(".sma") || path.ends_with(".inc");
}

std::vector<std::string> with_other_ends(std::string_view content) {
  if (content.size() == kMostWithEnds || content.find('\0') != content.npos) return {};
  std::string unix_text;
  std::string windows_text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    if (c == '\r' && i + 1 < content.size() && content[i + 1] == '\n') continue;
    unix_text += c;
    windows_text += c == '\n' ? "\r\n" : std::string(1, c);
  }
  return {std::move(unix_text), std::move(windows_text)};
}

Openings::What Openings::next(std::string_view path, FolderFacts& facts) {
  if (path.ends_with(".amxx")) {
    facts.has_more_plugins = plugins_ == kMostPlugins;
    if (facts.has_more_plugins) return What::nothing;
    ++plugins_;
    return What::plugin;
  }
  if (path.ends_with(".so")) {
    facts.has_more_libraries = libraries_ == kMostLibraries;
    if (facts.has_more_libraries) return What::nothing;
    ++libraries_;
    return What::library;
  }
  return What::nothing;
}

void note_unread(FolderFacts& facts, std::string_view path) {
  constexpr std::size_t kMostUnreadNames = 5;
  ++facts.unread;
  if (facts.unread_names.size() < kMostUnreadNames) facts.unread_names.emplace_back(path);
}

}  // namespace goldsmith::owner
