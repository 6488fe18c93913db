// Files that an `#include` may find, by name: exactly as the compilers find them, and in any case,
// as the machines do that most sources were written on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/compile/include_names.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::compile {

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
    auto& files = by_lower_name_[sys::to_lower_ascii(name)];
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
      const auto files = by_lower_name_.find(sys::to_lower_ascii(candidate));
      if (files == by_lower_name_.end()) continue;
      for (const auto& [file_name, file] : files->second) {
        if (matches(file_name, candidate)) return Found{&file_name, &file, std::move(candidate)};
      }
    }
    return std::nullopt;
  }

  std::map<std::string, std::vector<std::pair<std::string, File>>> by_lower_name_;
};

}  // namespace goldsmith::compile
