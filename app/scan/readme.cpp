#include "app/scan/readme.hpp"

#include "app/domain/names.hpp"
#include "app/sys/code_page.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
Prose prose_of_readme(std::string_view path, std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  if (content.starts_with("[")) return {};  // a dictionary or a configuration
  const std::string text = domain::is_utf8(content)
                               ? std::string(content)
                               : sys::from_code_page(content, sys::detect_code_page(content));
  return sys::to_lower_ascii(path).ends_with(".md") ? prose_of_markdown(text) : prose_of_text(text);
}

Readmes::Readmes(const Heap& heap) {
  for (const HeapFile& file : heap.files()) {
    const std::string path = sys::to_lower_ascii(file.path);
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    const bool is_text = name.ends_with(".md") || name.ends_with(".txt") || name == "readme";
    if (is_text && file.size <= kLongestProse) texts_.emplace(path, &file);
    if (!name.ends_with(".sma")) continue;
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
      ++sources_[std::string(folder)];
    }
  }
}

const HeapFile* Readmes::in_folder(std::string_view folder, std::string_view stem) const {
  for (const char* extension : {".md", ".txt", ""}) {
    const auto found = texts_.find(std::string(folder) + '/' + std::string(stem) + extension);
    if (found != texts_.end()) return found->second;
  }
  return nullptr;
}

const HeapFile* Readmes::find(const HeapFile& source) const {
  const std::string path = sys::to_lower_ascii(source.path);
  std::string_view folder = folder_of(path);
  const std::string_view file = std::string_view(path).substr(folder.size() + 1);
  if (const HeapFile* own = in_folder(folder, file.substr(0, file.rfind('.')))) return own;
  for (; !folder.empty(); folder = folder_of(folder)) {
    const auto sources = sources_.find(folder);
    if (sources == sources_.end() || sources->second != 1) return nullptr;
    for (const char* stem : {"readme", "plugin"}) {
      if (const HeapFile* found = in_folder(folder, stem)) return found;
    }
  }
  return nullptr;
}

}  // namespace goldsmith::scan
