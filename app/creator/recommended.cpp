#include "app/creator/recommended.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::creator {
namespace {

using base::N_;
using domain::Component;

Selected latest_of(const Component& component) { return {&component, component.latest()}; }

class Search {
 public:
  explicit Search(const domain::Catalog& catalog) : catalog_(catalog) {}

  Recommended find() {
    std::vector<const Component*> absent;
    for (const Component& component : catalog_.components()) {
      if (!component.is_default || !component.selectable) continue;
      if (component.latest() == nullptr) {
        absent.push_back(&component);
      } else {
        found_.insert(&component);
      }
    }
    for (const Component* component : absent) replace(*component);
    while (leave_out_incomplete()) {
    }
    Recommended result;
    for (const Component& component : catalog_.components()) {
      if (found_.contains(&component)) result.components.push_back(&component);
    }
    result.absences = std::move(absences_);
    return result;
  }

 private:
  void replace(const Component& absent) {
    const Component* const other = stand_in_for(absent);
    base::Message reason = absence_of(absent, "");
    if (other == nullptr) return leave_out(std::move(reason));
    found_.insert(other);
    absences_.emplace_back(N_("{reason} {component} is used instead."),
                           std::vector<base::Message::Value>{{"reason", std::move(reason)},
                                                             {"component", other->title()}});
  }

  void leave_out(base::Message reason) {
    absences_.emplace_back(N_("{reason} It was left out."),
                           std::vector<base::Message::Value>{{"reason", std::move(reason)}});
  }

  // Null if nothing of the layer can be, or has to.
  const Component* stand_in_for(const Component& absent) const {
    if (!domain::info(absent.layer).exclusive) return nullptr;
    const Component* before = nullptr;
    bool is_behind = false;
    for (const Component& other : catalog_.components()) {
      is_behind = is_behind || &other == &absent;
      if (other.layer != absent.layer) continue;
      if (found_.contains(&other)) return nullptr;
      if (!other.selectable || other.latest() == nullptr || !goes_with_others(other)) continue;
      if (is_behind) return &other;
      if (before == nullptr) before = &other;
    }
    return before;
  }

  bool goes_with_others(const Component& component) const {
    return std::ranges::none_of(found_, [&](const Component* other) {
      return conflict_of(latest_of(component), latest_of(*other)).has_value();
    });
  }

  // False if nothing lacks what it needs.
  bool leave_out_incomplete() {
    std::vector<Token> components;
    for (const Component* each : found_) components.push_back({each->slug.str(), ""});
    const SelectionResult result = select_named(components, catalog_, {});
    const auto* const invalid = std::get_if<InvalidSelection>(&result);
    if (invalid == nullptr) return false;
    return leave_out_first(invalid->missing_requires) || leave_out_first(invalid->unavailable);
  }

  // Whatever brings what the first of the problems is about; false if there is none.
  template <typename Problem>
  bool leave_out_first(const std::vector<Problem>& problems) {
    if (problems.empty()) return false;
    const std::string& about = problems.front().component;
    const std::size_t erased = std::erase_if(found_, [&](const Component* each) {
      std::set<std::string> brought;
      follow_bundles(each->slug.str(), brought);
      return brought.contains(about);
    });
    if (erased > 0) leave_out(problems.front().reason);
    return erased > 0;
  }

  void follow_bundles(const std::string& slug, std::set<std::string>& brought) const {
    const Component* const component = catalog_.find(slug);
    if (!brought.insert(slug).second || component == nullptr) return;
    for (const domain::Rule& rule :
         rules_of(*component, domain::RuleKind::bundles, component->latest())) {
      follow_bundles(rule.component.str(), brought);
    }
  }

  const domain::Catalog& catalog_;
  std::set<const Component*> found_;
  std::vector<base::Message> absences_;
};

}  // namespace

bool Recommended::has(std::string_view slug) const {
  return std::ranges::any_of(
      components, [&](const domain::Component* each) { return each->slug.view() == slug; });
}

Recommended recommended(const domain::Catalog& catalog) { return Search(catalog).find(); }

SelectionResult select(const SelectionRequest& request, const domain::Catalog& catalog,
                       const std::vector<std::string>& published_plugins,
                       const std::vector<Unavailable>& unavailable) {
  if (request.components) {
    return select_named(*request.components, catalog, published_plugins, unavailable);
  }
  Recommended stack = recommended(catalog);
  std::vector<Token> components;
  for (const Component* each : stack.components) components.push_back({each->slug.str(), ""});
  if (components.empty()) {  // each is named as it is missing
    for (const Component& each : catalog.components()) {
      if (each.is_default && each.selectable) components.push_back({each.slug.str(), ""});
    }
  }
  SelectionResult result = select_named(components, catalog, published_plugins, unavailable);
  if (auto* selection = std::get_if<Selection>(&result)) {
    selection->absences = std::move(stack.absences);
  }
  return result;
}

}  // namespace goldsmith::creator
