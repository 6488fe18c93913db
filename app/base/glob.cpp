#include "app/base/glob.hpp"

#include <vector>

namespace goldsmith::base {
namespace {

// `reached[i]`: the pattern so far matches the first i bytes of the path. One pass a pattern
// element, so that no pattern takes exponential time.
using Reached = std::vector<bool>;

// Any number of bytes that `may_pass` lets through.
template <class MayPass>
void extend(Reached& reached, std::string_view path, MayPass may_pass) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (reached[i] && may_pass(path[i])) reached[i + 1] = true;
  }
}

// `**/` is any number of whole folders, none included.
void skip_folders(Reached& reached, std::string_view path) {
  bool open = false;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    const bool after_slash = i > 0 && path[i - 1] == '/';
    if (open && after_slash) reached[i] = true;
    open = open || reached[i];
  }
}

// Exactly one byte; false when nothing matches any more.
template <class Matches>
bool step(Reached& reached, std::string_view path, Matches matches) {
  bool any = false;
  for (std::size_t i = path.size(); i > 0; --i) {
    reached[i] = reached[i - 1] && matches(path[i - 1]);
    any = any || reached[i];
  }
  reached[0] = false;
  return any;
}

bool matches_whole(std::string_view pattern, std::string_view path) {
  Reached reached(path.size() + 1);
  reached[0] = true;
  while (!pattern.empty()) {
    const char element = pattern.front();
    if (pattern.starts_with("**/")) {
      skip_folders(reached, path);
      pattern.remove_prefix(3);
    } else if (pattern.starts_with("**")) {
      extend(reached, path, [](char) { return true; });
      pattern.remove_prefix(2);
    } else if (element == '*') {
      extend(reached, path, [](char byte) { return byte != '/'; });
      pattern.remove_prefix(1);
    } else {
      const bool any = step(reached, path, [element](char byte) {
        return element == '?' ? byte != '/' : byte == element;
      });
      if (!any) return false;
      pattern.remove_prefix(1);
    }
  }
  return reached[path.size()];
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  return matches_whole(pattern, path);
}

}  // namespace goldsmith::base
