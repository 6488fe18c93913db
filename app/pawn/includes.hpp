// What a source includes, the files that it may include, and what an include declares.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::pawn {

// No source is larger (decision P12).
inline constexpr std::size_t kLargestSource = 1U << 20;

// True for a file that a source may include: one that is small enough, and by its kind no model,
// sound, picture, archive or program. Asks nothing about its content, which may not be loaded.
bool is_placed(const domain::PluginFile& file);
// Where a file is below the folder of the entry point; std::nullopt if it is not.
std::optional<std::string> folder_below(const domain::PluginFile& file,
                                        const domain::PluginFile& entry);

// PawnSource::includes of a source.
std::vector<std::string> included_names(std::string_view source);

// Reads an include, which is hostile: what sources get from it by name, each as
// domain::is_declared_name() has it; sorted, each once, at most 16,384. Both branches of a
// condition count. Operators and what guards against a second inclusion are left out.
std::vector<std::string> declared_names(std::string_view include);

// What the compilers try for a file that a source names so: the name itself, then with ".inc",
// ".p" and ".pawn".
std::vector<std::string> include_candidates(std::string_view name);

// Files that an `#include` may find, by name: exactly as the compilers find them, and in any case,
// as the machines do that most sources were written on.
template <typename File>
class IncludeIndex {
 public:
  struct Found {
    const std::string* name;  // of the file, relative to the folder that is searched
    const File* file;
    std::string as_named;  // the name as the source spells it, with the extension
  };

  // The first of several files with a name counts.
  void add(std::string name, File file) {
    auto& files = by_lower_name_[base::to_lower_ascii(name)];
    for (const auto& [known, other] : files) {
      if (known == name) return;
    }
    files.emplace_back(std::move(name), std::move(file));
  }

  bool empty() const { return by_lower_name_.empty(); }

  // What `#include <name>` finds. The pointers are valid as long as the index.
  std::optional<Found> exact(std::string_view name) const {
    return find(name,
                [](const std::string& file, const std::string& wanted) { return file == wanted; });
  }

  // What it would find where names match in any case; an exact match comes first.
  std::optional<Found> in_any_case(std::string_view name) const {
    if (auto found = exact(name)) return found;
    return find(name, [](const std::string&, const std::string&) { return true; });
  }

 private:
  template <typename Matches>
  std::optional<Found> find(std::string_view name, Matches matches) const {
    for (std::string& candidate : include_candidates(name)) {
      const auto files = by_lower_name_.find(base::to_lower_ascii(candidate));
      if (files == by_lower_name_.end()) continue;
      for (const auto& [file_name, file] : files->second) {
        if (matches(file_name, candidate)) return Found{&file_name, &file, std::move(candidate)};
      }
    }
    return std::nullopt;
  }

  std::map<std::string, std::vector<std::pair<std::string, File>>> by_lower_name_;
};

}  // namespace goldsmith::pawn
