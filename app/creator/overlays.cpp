#include "app/creator/overlays.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "app/sys/digest.hpp"

namespace goldsmith::creator {
namespace {

void edit(PlannedFile& file, std::string content) {
  file.size = content.size();
  file.sha256 = sys::sha256_hex(content);
  file.from = "svc-optimized";
  file.origin = Origin::edited;
  file.source = std::move(content);
}

}  // namespace

void apply_overlays(std::vector<domain::OverlaySection> sections, const Selection& selection,
                    FileSet& files) {
  std::set<std::optional<domain::Slug>> slugs = {std::nullopt};  // a section of none always applies
  for (const Selected& selected : selection.components) slugs.insert(selected.component->slug);
  std::sort(sections.begin(), sections.end(), [](const auto& left, const auto& right) {
    return std::tie(left.path, left.position, left.component, left.content) <
           std::tie(right.path, right.position, right.component, right.content);
  });

  std::map<std::string_view, std::string> contents;
  for (const domain::OverlaySection& section : sections) {
    if (!slugs.contains(section.component) || !files.contains(section.path)) continue;
    std::string& content = contents[section.path];
    content += section.content;
    if (!section.content.ends_with('\n')) content += '\n';
  }
  for (auto& [path, content] : contents) edit(files.find(path)->second, std::move(content));
}

}  // namespace goldsmith::creator
