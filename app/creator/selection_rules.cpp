// Whether a selection keeps the rules of its components (selection.hpp).
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/creator/requirements.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/failure.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::creator {

namespace {

using domain::Component;
using domain::Rule;
using domain::RuleKind;

// The owner of a rule, with its version where that of the other one decides.
std::string subject_of(const Rule& rule, const Selected& owner) {
  std::string name = owner.component->title();
  if (!rule.with.is_every() && owner.version != nullptr) name += " " + owner.version->version.str();
  return name;
}

// "X needs Y or Z.", "X 5.26 needs Y 5.28 or newer."; a note does not name all that is accepted.
base::Message reason_of(const Rule& rule, const Selected& owner, const Requirement& requirement) {
  if (rule.note.empty()) {
    return {base::N_("{component} needs {other}."),
            {{"component", subject_of(rule, owner)}, {"other", in_words(requirement)}}};
  }
  const bool says_all =
      requirement.any_of.size() == 1 && requirement.any_of.front().versions.is_every();
  if (says_all) return base::Message(rule.note);
  return {base::N_("{note} Accepted: {components}."),
          {{"note", base::Message(rule.note)}, {"components", in_words(requirement)}}};
}

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
  bool is_satisfied(const Rule& rule) const;
  void add_missing(const Rule& rule, const Selected& owner, const std::vector<Requirement>& all);
  const Component* default_platform() const;

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
  const auto& selected = stack_.selected;
  for (auto one = selected.begin(); one != selected.end(); ++one) {
    for (auto other = std::next(one); other != selected.end(); ++other) {
      if (auto conflict = conflict_of(one->second, other->second)) {
        invalid_.conflicts.push_back(std::move(*conflict));
      }
    }
  }
  std::sort(invalid_.conflicts.begin(), invalid_.conflicts.end(),
            [](const Conflict& left, const Conflict& right) {
              return std::tie(left.component, left.with) < std::tie(right.component, right.with);
            });
}

// Whether what is required is in the build. Also true for what is reported as unavailable.
bool Checker::is_satisfied(const Rule& rule) const {
  if (stack_.unavailable.contains(rule.component)) return true;
  const auto named = stack_.selected.find(rule.component);
  if (named != stack_.selected.end()) return is_about(rule, named->second.version);
  const Component* component = stack_.catalog.find(rule.component);
  return component != nullptr && domain::info(component->layer).exclusive &&
         layers_.contains(component->layer);
}

void Checker::requirements() {
  for (const auto& [slug, selected] : stack_.selected) {
    std::map<std::string_view, const Rule*> missing;
    for (const Rule& rule : rules_of(*selected.component, RuleKind::requires_, selected.version)) {
      if (!is_satisfied(rule)) missing.emplace(rule.component, &rule);
    }
    if (missing.empty()) continue;
    const std::vector<Requirement> all = requirements_of(selected, stack_.catalog);
    for (const auto& [target, rule] : missing) add_missing(*rule, selected, all);
  }
}

// `all`: what the owner requires. One that the catalog does not know is required by its slug.
void Checker::add_missing(const Rule& rule, const Selected& owner,
                          const std::vector<Requirement>& all) {
  const Component* const named = stack_.catalog.find(rule.component);
  const auto found = std::ranges::find_if(
      all, [&](const Requirement& each) { return named != nullptr && each.accepts(*named); });
  if (found == all.end()) {
    invalid_.missing_requires.push_back(
        {owner.component->slug.str(), rule.component.str(),
         base::Message("{component} needs {other}.",
                       {{"component", subject_of(rule, owner)},
                        {"other", rule.with.in_words(rule.component.str())}}),
         rule.with});
    return;
  }
  MissingRequire item{owner.component->slug.str(), rule.component.str(),
                      reason_of(rule, owner, *found)};
  for (const Accepted& each : found->any_of) {
    if (each.component == named) {
      item.versions = each.versions;
    } else {
      item.others.push_back(each);
    }
  }
  invalid_.missing_requires.push_back(std::move(item));
}

// The first default component of the platform layer that is available; otherwise the first
// available one; otherwise the first default one; otherwise the first known one.
const Component* Checker::default_platform() const {
  const auto rank = [](const Component& component) {
    return std::tuple(component.selectable && component.latest() != nullptr, component.is_default);
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
  const Requirement any = any_of_layer(domain::Layer::amxmodx, platform, stack_.catalog);
  const base::Message names = platform == nullptr ? base::Message(wanted.str()) : in_words(any);
  for (const std::string& slug : std::set<std::string>(slugs.begin(), slugs.end())) {
    invalid_.missing_requires.push_back(
        {"plugin:" + slug, wanted.str(),
         base::Message("Plugins need a plugin platform: {components}.", {{"components", names}})});
  }
}

}  // namespace

std::string name_of(const domain::Catalog& catalog, std::string_view slug) {
  const Component* component = catalog.find(slug);
  return component == nullptr ? std::string(slug) : component->title();
}

std::optional<Conflict> conflict_of(const Selected& one, const Selected& other) {
  for (const auto& [left, right] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    const Component& component = *left->component;
    const Component& with = *right->component;
    for (const Rule& rule : rules_of(component, RuleKind::conflicts, left->version)) {
      if (rule.component != with.slug || !is_about(rule, right->version)) continue;
      if (!rule.note.empty()) {
        return Conflict{component.slug.str(), with.slug.str(), base::Message(rule.note)};
      }
      return Conflict{component.slug.str(), with.slug.str(),
                      base::Message("{component} can't be used together with {other}.",
                                    {{"component", subject_of(rule, *left)},
                                     {"other", rule.with.in_words(with.title())}})};
    }
  }
  return std::nullopt;
}

base::Message absence_of(const Component& component, std::string_view version) {
  std::vector<base::Message::Value> values{{"component", component.title()}};
  if (component.latest() != nullptr) {
    values.emplace_back("version", std::string(version));
    values.emplace_back("latest", component.latest()->version.str());
    return {base::N_("Version {version} of {component} is not available here. The latest is "
                     "{latest}."),
            std::move(values)};
  }
  if (component.versions.empty()) {
    return {base::N_("{component} is known but not available here yet."), std::move(values)};
  }
  values.emplace_back("reason", component.versions.front().held->reason);
  return {base::N_("{component} is held here: {reason}"), std::move(values)};
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
