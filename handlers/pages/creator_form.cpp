#include "handlers/pages/creator_form.hpp"

#include "app/creator/selection_checks.hpp"
#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {
namespace {

using domain::Catalog;
using domain::Component;
using domain::Rule;
using domain::RuleKind;

json::Array versions_of(const Component& component, std::string_view pin) {
  return json::array_of(component.versions, [&](const domain::ComponentVersion& version) {
    return json::Object{{"version", version.version},
                        {"value", component.slug + "@" + version.version.str()},
                        {"date", version.released_at ? date(*version.released_at) : ""},
                        {"chosen", version.version == pin}};
  });
}

// The component of the same exclusive layer that is chosen instead of `wanted`, which it stands for
// in requirements; null if there is none that works with `component`.
const Component* stand_in(const Component& component, std::string_view wanted, const Choice& choice,
                          const Catalog& catalog) {
  const Component* required = catalog.find(wanted);
  if (required == nullptr || !domain::info(required->layer).exclusive) return nullptr;
  for (const Component& other : catalog.components()) {
    if (other.layer != required->layer || other.slug == wanted || !choice.has(other.slug)) continue;
    return conflict_note(component, other, choice).empty() ? &other : nullptr;
  }
  return nullptr;
}

// "Needs X, Y or Z" and so on, from the rules.
std::string relation(const Component& component, RuleKind kind, const Choice& choice,
                     const Catalog& catalog) {
  std::string names;
  for (const Rule& rule : rules_in(choice, component, kind)) {
    names.append(names.empty() ? "" : ", ").append(creator::name_of(catalog, rule.component));
    const Component* other = kind == RuleKind::requires_
                                 ? stand_in(component, rule.component, choice, catalog)
                                 : nullptr;
    if (other != nullptr) names.append(" or ").append(other->name);
  }
  return names;
}

// Why a component cannot be chosen by itself.
std::string comes_with(const Component& component, const Choice& choice, const Catalog& catalog) {
  std::string names;
  for (const Component& other : catalog.components()) {
    for (const Rule& rule : rules_in(choice, other, RuleKind::bundles)) {
      if (rule.component != component.slug) continue;
      names.append(names.empty() ? "" : ", ").append(other.name);
    }
  }
  return names.empty() ? "Cannot be chosen by itself."
                       : "Cannot be chosen by itself: it comes with " + names + ".";
}

json::Object component_json(const Component& component, const Choice& choice,
                            const Catalog& catalog) {
  const bool is_chosen = choice.has(component.slug);
  const auto pin = choice.pins.find(component.slug.view());
  const std::string obstacle = component.selectable ? obstacle_of(component, choice, catalog)
                                                    : comes_with(component, choice, catalog);
  return {{"slug", component.slug},
          {"name", component.title()},
          {"description", component.description},
          {"license", component.license},
          {"homepage", web_link(component.homepage)},
          {"latest", component.latest()->version},
          {"versions", versions_of(component, is_chosen ? pin->second : "")},
          {"chosen", is_chosen},
          {"disabled", !component.selectable},
          {"recommended", component.is_default},
          {"needs", relation(component, RuleKind::requires_, choice, catalog)},
          {"brings", relation(component, RuleKind::bundles, choice, catalog)},
          {"better_with", relation(component, RuleKind::recommends, choice, catalog)},
          {"obstacle", obstacle},
          {"blocked", component.selectable && !is_chosen && !obstacle.empty()}};
}

}  // namespace

json::Array creator_form(const Catalog& catalog, const Choice& choice) {
  json::Array layers;
  for (const domain::LayerInfo& layer : domain::layers()) {
    json::Array components;
    for (const Component& component : catalog.components()) {
      if (component.layer != layer.layer || component.versions.empty()) continue;
      components.push_back(component_json(component, choice, catalog));
    }
    if (components.empty()) continue;
    layers.push_back(json::Object{{"key", layer.key},
                                  {"label", layer.label},
                                  {"exclusive", layer.exclusive},
                                  {"components", std::move(components)}});
  }
  return layers;
}

}  // namespace goldsmith::handlers::pages
