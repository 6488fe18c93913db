#include "app/creator/selection_checks.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace goldsmith::creator {
namespace {

using domain::Component;
using domain::Rule;
using domain::RuleKind;

class Checker {
 public:
  Checker(const Stack& stack, InvalidSelection& invalid) : stack_(stack), invalid_(invalid) {
    for (const auto& [slug, selected] : stack.selected) layers_.insert(selected.component->layer);
  }

  void layers();
  void conflicts();
  void requirements();
  void plugins(const std::vector<std::string>& slugs);

 private:
  bool is_satisfied(const domain::Slug& slug) const;
  const Component* default_platform() const;
  std::string name(std::string_view slug) const { return name_of(stack_.catalog, slug); }

  const Stack& stack_;
  InvalidSelection& invalid_;
  std::set<domain::Layer> layers_;  // with a selected component
};

void Checker::layers() {
  std::map<std::string_view, std::vector<std::string>> by_layer;
  for (const auto& [slug, selected] : stack_.selected) {
    const domain::LayerInfo& layer = domain::info(selected.component->layer);
    if (layer.exclusive) by_layer[layer.key].emplace_back(slug);
  }
  for (auto& [layer, components] : by_layer) {
    if (components.size() < 2) continue;
    invalid_.layer_conflicts.push_back({std::string(layer), std::move(components)});
  }
}

void Checker::conflicts() {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& [slug, selected] : stack_.selected) {
    for (const Rule& rule : selected.component->rules) {
      const std::string_view other = rule.component;
      if (rule.kind != RuleKind::conflicts || other == slug) continue;
      if (!rule.versions.contains(selected.version->version)) continue;
      if (!stack_.selected.contains(other)) continue;
      if (!seen.insert(std::minmax(slug, other)).second) continue;
      const std::string fallback = name(selected.component->slug) +
                                   " can't be used together with " + name(rule.component) + ".";
      invalid_.conflicts.push_back(
          {std::string(slug), rule.component.str(), rule.note.empty() ? fallback : rule.note});
    }
  }
  std::sort(invalid_.conflicts.begin(), invalid_.conflicts.end(),
            [](const Conflict& left, const Conflict& right) {
              return std::tie(left.component, left.with) < std::tie(right.component, right.with);
            });
}

// Whether the component is in the build. Also true for those that are reported as unavailable.
bool Checker::is_satisfied(const domain::Slug& slug) const {
  if (stack_.selected.contains(slug) || stack_.unavailable.contains(slug)) return true;
  const Component* component = stack_.catalog.find(slug);
  return component != nullptr && domain::info(component->layer).exclusive &&
         layers_.contains(component->layer);
}

void Checker::requirements() {
  for (const auto& [slug, selected] : stack_.selected) {
    std::map<std::string_view, const Rule*> missing;
    for (const Rule& rule : selected.component->rules) {
      if (rule.kind != RuleKind::requires_ || is_satisfied(rule.component)) continue;
      if (!rule.versions.contains(selected.version->version)) continue;
      missing.emplace(rule.component, &rule);
    }
    for (const auto& [target, rule] : missing) {
      const std::string fallback =
          name(selected.component->slug) + " needs " + name(rule->component) + ".";
      invalid_.missing_requires.push_back(
          {std::string(slug), rule->component.str(), rule->note.empty() ? fallback : rule->note});
    }
  }
}

// The first default component of the platform layer; otherwise the first available one; otherwise
// the first known one.
const Component* Checker::default_platform() const {
  const auto rank = [](const Component& component) {
    return std::tuple(component.is_default, component.selectable && !component.versions.empty());
  };
  const Component* best = nullptr;
  for (const Component& component : stack_.catalog.components()) {
    if (component.layer != domain::Layer::amxmodx) continue;
    if (best == nullptr || rank(component) > rank(*best)) best = &component;
  }
  return best;
}

void Checker::plugins(const std::vector<std::string>& slugs) {
  if (layers_.contains(domain::Layer::amxmodx)) return;
  const Component* platform = default_platform();
  const domain::Slug wanted = platform == nullptr ? domain::Slug("amxmodx") : platform->slug;
  if (stack_.unavailable.contains(wanted)) return;
  for (const std::string& slug : std::set<std::string>(slugs.begin(), slugs.end())) {
    invalid_.missing_requires.push_back(
        {"plugin:" + slug, wanted.str(),
         "Plugins need a plugin platform, such as " + name(wanted) + "."});
  }
}

}  // namespace

std::string name_of(const domain::Catalog& catalog, std::string_view slug) {
  const Component* component = catalog.find(slug);
  return component == nullptr ? std::string(slug) : component->title();
}

std::string absence_of(const Component& component, std::string_view version) {
  const std::string name = component.title();
  if (component.versions.empty()) return name + " is known but not available here yet.";
  return "Version " + std::string(version) + " of " + name +
         " is not available here. The latest is " + component.latest()->version + ".";
}

void check_stack(const Stack& stack, const std::vector<std::string>& plugins,
                 InvalidSelection& invalid) {
  Checker checker(stack, invalid);
  checker.layers();
  checker.conflicts();
  checker.requirements();
  checker.plugins(plugins);
  std::stable_sort(invalid.missing_requires.begin(), invalid.missing_requires.end(),
                   [](const MissingRequire& left, const MissingRequire& right) {
                     return left.component < right.component;
                   });
}

}  // namespace goldsmith::creator
