#include "app/service/toolchain_includes.hpp"

#include <vector>

#include "app/archive/zip.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {

std::string zip_of_includes(const compile::Toolchain& toolchain) {
  std::vector<archive::MemoryFile> files;
  for (const compile::Include& include : compile::includes(toolchain)) {
    files.push_back({"include/" + include.name, sys::read_file(include.file), false});
  }
  return archive::zip_in_memory(files);
}

}  // namespace goldsmith::service
