// What lies around a source, and is the plugin's: its folder, its README, its license.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/scan/heap.hpp"
#include "app/scan/prose.hpp"

namespace goldsmith::scan {

// `content` may be in any encoding; a path that ends with .md is CommonMark.
Prose prose_of_readme(std::string_view path, std::string_view content);

class Neighbours {
 public:
  explicit Neighbours(const Heap& heap);  // must outlive this object

  // The highest folder that holds this source and no other; "" if its own holds others.
  std::string own_folder(const HeapFile& source) const;
  // The text named after the source, beside it, or a README in or above its folder that is this
  // source's alone; nullptr if there is none.
  const HeapFile* readme(const HeapFile& source) const;
  // The license nearest above the source; nullptr if there is none.
  const HeapFile* license(const HeapFile& source) const;

 private:
  bool is_own(std::string_view folder) const;
  const HeapFile* text_in(std::string_view folder, std::string_view stem) const;

  std::map<std::string, const HeapFile*, std::less<>> texts_;  // by path in lower case
  std::map<std::string, std::size_t, std::less<>> sources_;    // in a folder and below it
};

}  // namespace goldsmith::scan
