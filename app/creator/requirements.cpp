#include "app/creator/requirements.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::creator {
namespace {

using domain::Component;
using domain::ComponentVersion;
using domain::Rule;
using domain::RuleKind;

// True if a version that callers get goes with the owner.
bool goes_with(const Selected& owner, const Component& other, const domain::VersionRange& range) {
  return other.selectable && std::ranges::any_of(other.versions, [&](const ComponentVersion& each) {
           return !each.held && range.contains(each.version) &&
                  !conflict_of(owner, {&other, &each});
         });
}

bool is_known(const Requirement& requirement, const Component& component) {
  return std::ranges::any_of(requirement.any_of,
                             [&](const Accepted& each) { return each.component == &component; });
}

// Adds what stands for `named` in its exclusive layer.
void add_others(const Selected& owner, const Component& named, const domain::Catalog& catalog,
                Requirement& requirement) {
  if (!domain::info(named.layer).exclusive) return;
  for (const Component& other : catalog.components()) {
    if (other.layer != named.layer || is_known(requirement, other)) continue;
    if (goes_with(owner, other, {})) requirement.any_of.push_back({&other, {}});
  }
}

// "AMX Mod X 1.9": the last word is a version.
std::size_t length_of_family(std::string_view name) {
  const std::size_t space = name.rfind(' ');
  if (space == std::string_view::npos || space + 1 == name.size()) return 0;
  const char first = name[space + 1];
  return first >= '0' && first <= '9' ? space : 0;
}

std::string_view family_of(const std::string& name) {
  return std::string_view(name).substr(0, length_of_family(name));
}

// What of a list can be told by its names alone, with those of a family in order of their versions.
std::vector<std::string> told_names(const Requirement& requirement) {
  std::vector<std::string> names;
  for (const Accepted& each : requirement.any_of) {
    if (!each.versions.is_every()) continue;
    std::string name = each.component->title();
    const std::string_view family = family_of(name);
    auto place = names.end();
    if (!family.empty()) {
      place = std::ranges::find_if(names, [&](const std::string& known) {
        return family_of(known) == family && domain::version_order(name, known) < 0;
      });
      const auto last = std::ranges::find_if(names.rbegin(), names.rend(), [&](const auto& known) {
        return family_of(known) == family;
      });
      if (place == names.end() && last != names.rend()) place = last.base();
    }
    names.insert(place, std::move(name));
  }
  return names;
}

}  // namespace

bool Requirement::accepts(const Component& component) const { return is_known(*this, component); }

std::vector<Requirement> requirements_of(const Selected& owner, const domain::Catalog& catalog) {
  std::vector<Requirement> all;
  std::map<std::pair<bool, std::string_view>, std::size_t> places;  // by layer or slug
  for (const Rule& rule : rules_of(*owner.component, RuleKind::requires_, owner.version)) {
    const Component* const named = catalog.find(rule.component);
    if (named == nullptr) continue;
    const domain::LayerInfo& layer = domain::info(named->layer);
    const auto key =
        layer.exclusive ? std::pair(true, layer.key) : std::pair(false, named->slug.view());
    const auto [place, is_new] = places.try_emplace(key, all.size());
    if (is_new) all.emplace_back();
    std::vector<Accepted>& any_of = all[place->second].any_of;
    const auto known = std::ranges::find(any_of, named, &Accepted::component);
    if (known == any_of.end()) {
      any_of.push_back({named, rule.with});
    } else {
      known->versions = known->versions & rule.with;
    }
  }
  for (Requirement& each : all) {
    const Component& named = *each.any_of.front().component;
    add_others(owner, named, catalog, each);
  }
  return all;
}

Requirement any_of_layer(domain::Layer layer, const Component* first,
                         const domain::Catalog& catalog) {
  Requirement requirement;
  if (first != nullptr) requirement.any_of.push_back({first, {}});
  for (const Component& each : catalog.components()) {
    const bool is_offered = each.selectable && each.latest() != nullptr;
    if (each.layer != layer || !is_offered || is_known(requirement, each)) continue;
    requirement.any_of.push_back({&each, {}});
  }
  return requirement;
}

base::Message in_words(const Requirement& requirement) {
  std::vector<base::Message> parts;
  for (const Accepted& each : requirement.any_of) {
    if (each.versions.is_every()) continue;
    parts.push_back(each.versions.in_words(each.component->title()));
  }
  const std::vector<std::string> names = told_names(requirement);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view family = family_of(names[i]);
    const bool is_next = i > 0 && !family.empty() && family_of(names[i - 1]) == family;
    parts.emplace_back(is_next ? names[i].substr(family.size() + 1) : names[i]);
  }
  base::Message text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0) {
      text = std::move(parts[i]);
    } else if (i + 1 < parts.size()) {
      constexpr std::string_view kList = "{names}, {name}";  // nothing to translate
      text = {kList, {{"names", std::move(text)}, {"name", std::move(parts[i])}}};
    } else {
      text = {base::N_("{names} or {name}"),
              {{"names", std::move(text)}, {"name", std::move(parts[i])}}};
    }
  }
  return text;
}

}  // namespace goldsmith::creator
