#include "app/compile/include_names.hpp"

#include <algorithm>
#include <set>

namespace goldsmith::compile {
namespace {

constexpr std::size_t kMostIncluded = 500;
constexpr std::size_t kLongestIncludedName = 1024;  // no file has a longer one

// The compilers take every byte up to the space for white space.
bool is_blank(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// The name in `line`; "" if it is no such directive.
std::string_view name_in(std::string_view line) {
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
    const std::string_view name = name_in(source.substr(at, end - at));
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

}  // namespace goldsmith::compile
