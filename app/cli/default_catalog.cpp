#include "app/cli/default_catalog.hpp"

#include <algorithm>

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_without(const fs::path& missing) {
  throw Failure(
      missing.string() +
      ": no such file; set the folder of the default catalog with --catalog=DIR or the option "
      "\"catalog\" of the configuration");
}

}  // namespace

std::vector<std::string> default_component_files(Context& context) {
  const fs::path folder = context.config().catalog / "components";
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (files.empty()) fail_without(folder / "*.json");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> default_overlay_files(Context& context) {
  const fs::path file = context.config().catalog / "overlays" / "overlays.json";
  std::error_code error;
  if (!fs::exists(file, error)) fail_without(file);
  return {file.string()};
}

std::vector<std::string> files_or_defaults(const Arguments& arguments,
                                           std::vector<std::string> (*defaults)(Context&),
                                           Context& context) {
  std::vector<std::string> files = arguments.list("FILE");
  if (files.empty() == !arguments.has("defaults")) {
    throw UsageError(files.empty() ? "FILE is missing; --defaults imports those of the catalog"
                                   : "FILE and --defaults can't be combined");
  }
  return files.empty() ? defaults(context) : files;
}

}  // namespace goldsmith::cli
