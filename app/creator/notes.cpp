#include "app/creator/notes.hpp"

#include <set>
#include <string_view>

namespace goldsmith::creator {
namespace {

std::string display_name(const domain::Component& component) {
  return component.name.empty() ? component.slug.str() : component.name;
}

std::string recommendation(const domain::Component& component, const domain::Rule& rule) {
  const std::string text = display_name(component) + " works better with " + rule.component;
  return rule.note.empty() ? text + "." : text + ": " + rule.note;
}

}  // namespace

std::vector<std::string> component_notes(const Selection& selection) {
  std::set<std::string_view> selected;
  for (const Selected& each : selection.components) selected.insert(each.component->slug);

  std::vector<std::string> notes;
  for (const Selected& each : selection.components) {
    std::set<std::string_view> noted;
    for (const domain::Rule& rule : each.component->rules) {
      if (rule.kind != domain::RuleKind::recommends || selected.contains(rule.component)) continue;
      if (!rule.versions.contains(each.version->version)) continue;
      if (!noted.insert(rule.component).second) continue;
      notes.push_back(recommendation(*each.component, rule));
    }
  }
  for (const Selected& each : selection.components) {
    for (const domain::Advice& advice : each.component->advice) {
      if (advice.versions.contains(each.version->version)) notes.push_back(advice.text);
    }
  }
  return notes;
}

}  // namespace goldsmith::creator
