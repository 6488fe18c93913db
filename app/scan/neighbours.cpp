#include "app/scan/neighbours.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/scan/license.hpp"
#include "app/sys/code_page.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestText = std::max(kLongestProse, kLongestLicense);

bool is_text(std::string_view lower_name) {
  return lower_name.ends_with(".md") || lower_name.ends_with(".txt") ||
         lower_name.find('.') == lower_name.npos;
}

}  // namespace

Prose prose_of_readme(std::string_view path, std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  if (content.starts_with("[")) return {};  // a dictionary or a configuration
  const std::string text = domain::is_utf8(content)
                               ? std::string(content)
                               : sys::from_code_page(content, sys::detect_code_page(content));
  return sys::to_lower_ascii(path).ends_with(".md") ? prose_of_markdown(text) : prose_of_text(text);
}

Neighbours::Neighbours(const Heap& heap) {
  for (const HeapFile& file : heap.files()) {
    const std::string path = sys::to_lower_ascii(file.path);
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

std::string Neighbours::own_folder(const HeapFile& source) const {
  std::string_view own;
  for (std::string_view folder = folder_of(source.path); is_own(folder);
       folder = folder_of(folder)) {
    own = folder;
  }
  return std::string(own);
}

const HeapFile* Neighbours::text_in(std::string_view folder, std::string_view stem) const {
  for (const char* extension : {".md", ".txt", ""}) {
    const auto found =
        texts_.find(sys::to_lower_ascii(folder) + '/' + std::string(stem) + extension);
    if (found != texts_.end()) return found->second;
  }
  return nullptr;
}

const HeapFile* Neighbours::readme(const HeapFile& source) const {
  std::string_view folder = folder_of(source.path);
  const std::string file = sys::to_lower_ascii(name_in(source.path));
  if (const HeapFile* own = text_in(folder, file.substr(0, file.rfind('.')))) return own;
  for (; is_own(folder); folder = folder_of(folder)) {
    for (const char* stem : {"readme", "plugin"}) {
      if (const HeapFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

const HeapFile* Neighbours::license(const HeapFile& source) const {
  for (std::string_view folder = folder_of(source.path); !folder.empty();
       folder = folder_of(folder)) {
    for (const char* stem : {"license", "licence", "copying", "unlicense"}) {
      if (const HeapFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

}  // namespace goldsmith::scan
