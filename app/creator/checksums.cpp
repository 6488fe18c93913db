#include "app/creator/checksums.hpp"

#include <set>

namespace goldsmith::creator {

std::vector<std::string> without_checksums(const Plan& plan) {
  std::set<std::size_t> lacking;
  for (const PlannedFile& file : plan.files) {
    const auto* from = std::get_if<PlannedFile::FromDepot>(&file.source);
    if (from != nullptr && file.sha256.empty()) lacking.insert(from->component);
  }
  std::vector<std::string> names;
  for (const std::size_t index : lacking) {
    const Selected& selected = plan.selection.components[index];
    names.push_back(selected.component->slug + " " + selected.version->version);
  }
  return names;
}

// No path has a backslash or a line feed (decision R15), which sha256sum would want escaped.
std::string checksum_list(const Plan& plan) {
  std::string list;
  for (const PlannedFile& file : plan.files) {
    list.append(file.sha256).append("  ").append(file.path).append("\n");
  }
  return list;
}

}  // namespace goldsmith::creator
