#include "app/scan/neighbours.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/pawn/prose.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestText = std::max(pawn::kLongestProse, domain::kLongestLicense);

bool is_text(std::string_view lower_name) {
  return lower_name.ends_with(".md") || lower_name.ends_with(".txt") ||
         lower_name.find('.') == lower_name.npos;
}

}  // namespace

Neighbours::Neighbours(const SourceTree& tree) {
  for (const SourceFile& file : tree.files()) {
    const std::string path = base::to_lower_ascii(file.path);
    if (is_text(name_in(path)) && file.size <= kLongestText) texts_.emplace(path, &file);
    if (!path.ends_with(".sma")) continue;
    for (std::string_view folder = folder_of(file.path); !folder.empty();
         folder = folder_of(folder)) {
      ++sources_[std::string(folder)];
    }
  }
}

bool Neighbours::is_own(std::string_view folder) const {
  const auto sources = sources_.find(folder);
  return sources != sources_.end() && sources->second == 1;
}

std::string Neighbours::own_folder(const SourceFile& source) const {
  std::string_view own;
  for (std::string_view folder = folder_of(source.path); is_own(folder);
       folder = folder_of(folder)) {
    own = folder;
  }
  return std::string(own);
}

const SourceFile* Neighbours::text_in(std::string_view folder, std::string_view stem) const {
  for (const char* extension : {".md", ".txt", ""}) {
    const auto found =
        texts_.find(base::to_lower_ascii(folder) + '/' + std::string(stem) + extension);
    if (found != texts_.end()) return found->second;
  }
  return nullptr;
}

const SourceFile* Neighbours::readme(const SourceFile& source) const {
  std::string_view folder = folder_of(source.path);
  const std::string file = base::to_lower_ascii(name_in(source.path));
  if (const SourceFile* own = text_in(folder, file.substr(0, file.rfind('.')))) return own;
  for (; is_own(folder); folder = folder_of(folder)) {
    for (const char* stem : {"readme", "plugin"}) {
      if (const SourceFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

const SourceFile* Neighbours::license(const SourceFile& source) const {
  for (std::string_view folder = folder_of(source.path); !folder.empty();
       folder = folder_of(folder)) {
    for (const char* stem : {"license", "licence", "copying", "unlicense"}) {
      if (const SourceFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

}  // namespace goldsmith::scan
