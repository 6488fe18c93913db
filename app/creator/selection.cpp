#include "app/creator/selection.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::creator {

namespace {

using domain::Component;
using domain::ComponentVersion;
using domain::Rule;
using domain::RuleKind;

using Pins = std::set<std::string_view>;  // of one component; empty = the latest version
using Wanted = std::map<std::string_view, Pins>;

Wanted wanted_of(const std::vector<Token>& components) {
  Wanted wanted;
  for (const Token& token : components) {
    Pins& pins = wanted[token.slug];
    if (!token.version.empty()) pins.insert(token.version);
  }
  return wanted;
}

struct PinnedVersion {
  const ComponentVersion* version = nullptr;  // null if none or not the pinned one is mirrored
  std::string_view missing;                   // the pinned version that is not mirrored
};

// The newest of several pins wins (decision S1), even if it is not mirrored: substituting an older
// version would be a surprise.
PinnedVersion choose(const Component& component, const Pins& pins) {
  if (pins.empty() || component.versions.empty()) return {component.latest(), {}};
  Pins absent = pins;
  const ComponentVersion* newest = nullptr;
  for (const ComponentVersion& version : component.versions) {
    if (absent.erase(version.version) != 0 && newest == nullptr) newest = &version;
  }
  if (absent.empty()) return {newest, {}};
  const std::string_view missing = *std::max_element(
      absent.begin(), absent.end(),
      [](auto left, auto right) { return domain::version_order(left, right) < 0; });
  if (newest != nullptr && domain::version_order(newest->version, missing) > 0) {
    return {newest, {}};
  }
  return {nullptr, missing};
}

// The version that reachable() looks at; null for a component that is not available.
const ComponentVersion* version_of(const Component& component, const Wanted& wanted) {
  const auto found = wanted.find(component.slug);
  return choose(component, found == wanted.end() ? Pins{} : found->second).version;
}

// The selectable components of `wanted` and everything that they bundle. Also follows unavailable
// components: they may be mirrored later, so naming what they bundle is not an error of the caller.
std::set<std::string_view> reachable(const Wanted& wanted, const domain::Catalog& catalog) {
  std::set<std::string_view> found;
  std::vector<const Component*> pending;
  for (const auto& [slug, pins] : wanted) {
    const Component* component = catalog.find(slug);
    if (component != nullptr && component->selectable) pending.push_back(component);
  }
  while (!pending.empty()) {
    const Component* component = pending.back();
    pending.pop_back();
    if (!found.insert(component->slug).second) continue;
    const ComponentVersion* version = version_of(*component, wanted);
    for (const Rule& rule : rules_of(*component, RuleKind::bundles, version)) {
      const Component* bundled = catalog.find(rule.component);
      if (bundled != nullptr) pending.push_back(bundled);
    }
  }
  return found;
}

// Determines the components and versions of a request.
class Selector {
 public:
  explicit Selector(const domain::Catalog& catalog) : stack_{catalog, {}, {}} {}

  void add_wanted(const Wanted& wanted);
  void follow_bundles();

  const Stack& stack() const { return stack_; }
  InvalidSelection& invalid() { return invalid_; }

 private:
  void add_named(const Component& component, const Pins& pins);
  void add_bundled(const domain::Slug& slug, std::vector<Selected>& pending);
  void add_unavailable(const domain::Slug& slug, base::Message reason);

  Stack stack_;
  InvalidSelection invalid_;
};

void Selector::add_wanted(const Wanted& wanted) {
  const std::set<std::string_view> known = reachable(wanted, stack_.catalog);
  for (const auto& [slug, pins] : wanted) {
    if (known.contains(slug)) {
      add_named(*stack_.catalog.find(slug), pins);
    } else {
      invalid_.unknown.emplace_back(slug);
    }
  }
}

// `slug` must point into the catalog.
void Selector::add_unavailable(const domain::Slug& slug, base::Message reason) {
  if (!stack_.unavailable.insert(slug).second) return;
  invalid_.unavailable.push_back({slug.str(), name_of(stack_.catalog, slug), std::move(reason)});
}

void Selector::add_named(const Component& component, const Pins& pins) {
  const PinnedVersion pinned = choose(component, pins);
  if (pinned.version != nullptr) {
    stack_.selected[component.slug] = {&component, pinned.version, false};
  } else {
    add_unavailable(component.slug, absence_of(component, pinned.missing));
  }
}

void Selector::follow_bundles() {
  std::vector<Selected> pending;
  for (const auto& [slug, selected] : stack_.selected) pending.push_back(selected);
  while (!pending.empty()) {
    const Selected each = pending.back();
    pending.pop_back();
    for (const Rule& rule : rules_of(*each.component, RuleKind::bundles, each.version)) {
      add_bundled(rule.component, pending);
    }
  }
}

void Selector::add_bundled(const domain::Slug& slug, std::vector<Selected>& pending) {
  if (stack_.selected.contains(slug)) return;
  const Component* component = stack_.catalog.find(slug);
  if (component == nullptr || component->latest() == nullptr) {
    add_unavailable(
        slug, base::Message("{component} is part of this selection but not available here yet.",
                            {{"component", name_of(stack_.catalog, slug)}}));
    return;
  }
  if (stack_.unavailable.contains(slug)) return;  // named with a pin that is not mirrored
  stack_.selected[component->slug] = {component, component->latest(), true};
  pending.push_back(stack_.selected[component->slug]);
}

Selection in_load_order(const Stack& stack) {
  Selection selection;
  for (const auto& [slug, selected] : stack.selected) selection.components.push_back(selected);
  std::sort(selection.components.begin(), selection.components.end(),
            [](const Selected& left, const Selected& right) {
              return std::tie(left.component->sort_order, left.component->slug) <
                     std::tie(right.component->sort_order, right.component->slug);
            });
  return selection;
}

}  // namespace

bool InvalidSelection::empty() const {
  return unknown.empty() && unavailable.empty() && conflicts.empty() && missing_requires.empty() &&
         layer_conflicts.empty();
}

SelectionResult select_named(const std::vector<Token>& components, const domain::Catalog& catalog,
                             const std::vector<std::string>& published_plugins,
                             const std::vector<Unavailable>& unavailable) {
  Selector selector(catalog);
  selector.add_wanted(wanted_of(components));
  selector.follow_bundles();
  InvalidSelection& invalid = selector.invalid();
  if (selector.stack().selected.empty() && invalid.empty()) return EmptySelection{};

  check_stack(selector.stack(), published_plugins, invalid);
  invalid.unavailable.insert(invalid.unavailable.end(), unavailable.begin(), unavailable.end());
  if (invalid.empty()) return in_load_order(selector.stack());
  std::sort(invalid.unavailable.begin(), invalid.unavailable.end(),
            [](const Unavailable& left, const Unavailable& right) {
              return left.component < right.component;
            });
  return std::move(invalid);
}

bool has(const Selection& selection, std::string_view component) {
  return std::any_of(selection.components.begin(), selection.components.end(),
                     [&](const Selected& each) { return each.component->slug == component; });
}

const Selected* platform(const Selection& selection) {
  const auto found = std::find_if(
      selection.components.begin(), selection.components.end(),
      [](const Selected& each) { return each.component->layer == domain::Layer::amxmodx; });
  return found == selection.components.end() ? nullptr : &*found;
}

const std::string& line_of(const Selection& selection) {
  const Selected* const chosen = platform(selection);
  const bool is_named = chosen != nullptr && chosen->component->loads.toolchain;
  return is_named ? *chosen->component->loads.toolchain : domain::toolchain_lines().back();
}

}  // namespace goldsmith::creator
