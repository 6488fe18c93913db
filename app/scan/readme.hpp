// The files of a heap that describe plugins.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/scan/heap.hpp"
#include "app/scan/prose.hpp"

namespace goldsmith::scan {

// `content` may be in any encoding; a path that ends with .md is CommonMark.
Prose prose_of_readme(std::string_view path, std::string_view content);

class Readmes {
 public:
  explicit Readmes(const Heap& heap);  // must outlive this object

  // The one named after the source, beside it, or the one nearest above it in a folder that holds
  // no other source; nullptr if there is none.
  const HeapFile* find(const HeapFile& source) const;

 private:
  const HeapFile* in_folder(std::string_view folder, std::string_view stem) const;

  std::map<std::string, const HeapFile*, std::less<>> texts_;  // by path in lower case
  std::map<std::string, std::size_t, std::less<>> sources_;    // in a folder and below it
};

}  // namespace goldsmith::scan
