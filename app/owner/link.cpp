#include "app/owner/link.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/owner/compared.hpp"
#include "app/owner/selection_check.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::size_t kMostLinkedPlugins = 100;

std::string pinned(std::string_view slug, std::string_view version, bool pins) {
  std::string token(slug);
  if (pins && !version.empty()) token.append("@").append(version);
  return base::percent_encode(token, "@");
}

// Of several that have the same file only one can be installed: that with the line of versions that
// the file says it is of, or else the first one that the catalog has.
bool is_first(const KnownFiles& known, const Installed& installed, const FolderFacts& facts,
              ComponentId component) {
  return std::ranges::any_of(installed.places(), [&](const Installed::Place& place) {
    if (place.is_newer) return false;
    const auto own = facts.introduced.find(place.path);
    const std::vector<ComponentId> likely =
        own == facts.introduced.end() ? place.candidates
                                      : of_line(known, place.candidates, own->second.version);
    return likely.front() == component;
  });
}

}  // namespace

ReportedLink link_to(const KnownFiles& known, const Installed& installed, const FolderFacts& facts,
                     const std::vector<LinkedPlugin>& plugins, bool pins) {
  ReportedLink link;
  link.is_pinned = pins;
  std::string components;
  std::vector<SelectedVersion> selection;
  for (ComponentId c = 0; c < known.components().size(); ++c) {
    const KnownComponent& component = known.components()[c];
    const auto version = installed.version_of(c);
    const bool is_guess =
        !version && installed.may_be_there(c) && is_first(known, installed, facts, c);
    if (!component.is_selectable || (!version && !is_guess) || installed.is_unloaded(c)) continue;
    components.append(components.empty() ? "components=" : ",");
    components.append(pinned(component.slug, version ? known.version(*version).number : "", pins));
    const bool is_pinned = pins && version;
    const auto number = is_pinned ? version : component.newest;
    selection.push_back({c, number ? known.version(*number).number : std::string_view()});
    if (is_guess) link.guesses.emplace_back(component.slug);
  }
  // In the order of the directory.
  std::vector<LinkedPlugin> sorted = plugins;
  std::ranges::sort(sorted, {}, &LinkedPlugin::plugin);
  std::string names;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostLinkedPlugins); ++i) {
    names.append(names.empty() ? "plugins=" : ",");
    names.append(pinned(known.plugins()[sorted[i].plugin].slug, sorted[i].version, pins));
  }
  link.left_out = sorted.size() - std::min(sorted.size(), kMostLinkedPlugins);
  link.query = components + (components.empty() || names.empty() ? "" : "&") + names;
  link.problems = problems_of(known, std::move(selection), !sorted.empty());
  return link;
}

}  // namespace goldsmith::owner
