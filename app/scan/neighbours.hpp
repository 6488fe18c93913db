// What lies around a source, and is the plugin's: its folder, its README, its license.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {

class Neighbours {
 public:
  explicit Neighbours(const SourceTree& tree);  // must outlive this object

  // The highest folder that holds this source and no other; "" if its own holds others.
  std::string own_folder(const SourceFile& source) const;
  // The text named after the source, beside it, or a README in or above its folder that is this
  // source's alone; nullptr if there is none.
  const SourceFile* readme(const SourceFile& source) const;
  // The license nearest above the source; nullptr if there is none.
  const SourceFile* license(const SourceFile& source) const;
  // Whether a folder holds one source alone, with all that is below it.
  bool is_own(std::string_view folder) const;

 private:
  const SourceFile* text_in(std::string_view folder, std::string_view stem) const;

  std::map<std::string, const SourceFile*, std::less<>> texts_;  // by path in lower case
  std::map<std::string, std::size_t, std::less<>> sources_;      // in a folder and below it
};

}  // namespace goldsmith::scan
