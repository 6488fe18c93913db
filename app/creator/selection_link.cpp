#include "app/creator/selection_link.hpp"

#include <algorithm>
#include <array>

#include "app/base/text.hpp"

namespace goldsmith::creator {
namespace {

constexpr std::string_view kPins = "pin";
constexpr std::array<std::string_view, 7> kSelectionNames{
    "components", "plugins", "order", "optimized", "cfg", "build", kPins};

// `path` without a slash at its end.
bool leads_to_creator(std::string_view path) {
  return path.ends_with("/server") || path.ends_with("/server-builder/download");
}

}  // namespace

std::optional<SelectionLink> read_selection_link(std::string_view text) {
  text = base::trim_ascii(text);
  text = text.substr(0, text.find('#'));
  SelectionLink link;
  const std::size_t question = std::min(text.find('?'), text.size());
  const std::size_t scheme = text.starts_with("https://")  ? 8U
                             : text.starts_with("http://") ? 7U
                                                           : 0U;
  std::string_view path = text.substr(0, question);
  if (scheme != 0) {
    path.remove_prefix(scheme);
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view authority = path.substr(0, end);
    link.host = authority.substr(authority.rfind('@') + 1);  // npos + 1 = 0
    path.remove_prefix(end);
    if (link.host.empty()) return std::nullopt;
  } else if (!path.empty()) {
    return std::nullopt;
  }
  if (question < text.size()) {
    for (const std::string_view part : base::split(text.substr(question + 1), '&')) {
      const std::string_view name = part.substr(0, part.find('='));
      if (std::ranges::find(kSelectionNames, name) == kSelectionNames.end()) continue;
      if (name == kPins) link.has_pins = true;
      link.query.append(link.query.empty() ? "" : "&").append(part);
    }
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (link.query.empty() && !leads_to_creator(path)) return std::nullopt;
  return link;
}

}  // namespace goldsmith::creator
