// Globs of manifests on paths of archives, compared with a second implementation.
#include "app/base/glob.hpp"

#include <map>
#include <utility>

#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;

// By trying every possibility, each once.
class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view path) : pattern_(pattern), path_(path) {}

  bool matches(std::size_t p, std::size_t i) {
    const auto [known, is_new] = known_.try_emplace({p, i}, false);
    if (is_new) known->second = try_all(p, i);
    return known->second;
  }

 private:
  bool try_all(std::size_t p, std::size_t i) {
    const std::string_view rest = pattern_.substr(p);
    if (rest.empty()) return i == path_.size();
    if (rest.starts_with("**/")) {
      if (matches(p + 3, i)) return true;
      for (std::size_t at = i; at < path_.size(); ++at) {
        if (path_[at] == '/' && matches(p + 3, at + 1)) return true;
      }
      return false;
    }
    if (rest.starts_with("**")) return matches(p + 2, i) || (i < path_.size() && matches(p, i + 1));
    const bool has_name_byte = i < path_.size() && path_[i] != '/';
    if (rest.front() == '*') return matches(p + 1, i) || (has_name_byte && matches(p, i + 1));
    const bool takes =
        rest.front() == '?' ? has_name_byte : i < path_.size() && path_[i] == rest.front();
    return takes && matches(p + 1, i + 1);
  }

  std::string_view pattern_;
  std::string_view path_;
  std::map<std::pair<std::size_t, std::size_t>, bool> known_;
};

}  // namespace

FUZZ_TARGET(globs, "app/base/glob.cpp") {
  constexpr std::size_t kLongest = 64;  // the second implementation is slow
  const std::string_view pattern = fuzz::take_until(input, '\n').substr(0, kLongest);
  std::string_view path = input.substr(0, kLongest);
  const bool matches = base::matches_glob(pattern, path);
  if (pattern.find('/') == std::string_view::npos) path = path.substr(path.rfind('/') + 1);
  fuzz::require(matches == Matcher(pattern, path).matches(0, 0), "two implementations agree");
}
