#include "handlers/pages/creator_choice.hpp"

#include <algorithm>
#include <iterator>

#include "app/creator/selection_checks.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::handlers::pages {
namespace {

using domain::Catalog;
using domain::Component;

bool is_offered(const Component& component) {
  return component.selectable && !component.versions.empty();
}

// The recommended one of a layer, else the first; null if there is none.
const Component* substitute_in(domain::Layer layer, const Catalog& catalog) {
  const Component* best = nullptr;
  for (const Component& component : catalog.components()) {
    if (component.layer != layer || !is_offered(component)) continue;
    if (best == nullptr || (component.is_default && !best->is_default)) best = &component;
  }
  return best;
}

Choice::Pins recommended_pins(const Catalog& catalog) {
  Choice::Pins pins;
  for (const Component& component : catalog.components()) {
    if (component.is_default) pins.emplace(component.slug.str(), "");
  }
  return pins;
}

// A component that is known and was never mirrored, or is mirrored no more.
void replace(const Component& gone, const Catalog& catalog, ReadChoice& read) {
  const Component* other =
      domain::info(gone.layer).exclusive ? substitute_in(gone.layer, catalog) : nullptr;
  const std::string reason = creator::absence_of(gone, "");
  if (other == nullptr) {
    read.warnings.push_back(reason + " It was left out.");
    return;
  }
  read.choice.pins.try_emplace(other->slug.str(), "");
  read.warnings.push_back(reason + " " + other->name + " is used instead.");
}

void add_token(const creator::Token& token, const Catalog& catalog, ReadChoice& read) {
  const Component* component = catalog.find(token.slug);
  if (component == nullptr) {
    read.warnings.push_back("There is no component “" + token.slug + "”. It was left out.");
  } else if (component->versions.empty()) {
    replace(*component, catalog, read);
  } else if (!token.version.empty() && component->find_version(token.version) == nullptr) {
    read.choice.pins.try_emplace(token.slug, "");
    read.warnings.push_back(creator::absence_of(*component, token.version) +
                            " It is used instead.");
  } else {
    std::string& pin = read.choice.pins[token.slug];
    if (pin.empty()) pin = token.version;
  }
}

// A version that was chosen beside a component counts only if the component is chosen, too.
void apply_pins(std::string_view list, const Catalog& catalog, Choice& choice) {
  for (const std::string_view piece : sys::split(list, ',')) {
    const std::size_t at = piece.find('@');
    if (at == std::string_view::npos) continue;
    const auto chosen = choice.pins.find(piece.substr(0, at));
    const Component* component = catalog.find(piece.substr(0, at));
    if (chosen == choice.pins.end() || component == nullptr) continue;
    const std::string_view version = piece.substr(at + 1);
    if (component->find_version(version) != nullptr) chosen->second = version;
  }
}

// Null if nothing is mirrored.
const domain::ComponentVersion* version_in(const Choice& choice,
                                           const domain::Component& component) {
  const auto pin = choice.pins.find(component.slug.view());
  const bool is_pinned = pin != choice.pins.end() && !pin->second.empty();
  return is_pinned ? component.find_version(pin->second) : component.latest();
}

}  // namespace

bool Choice::has_plugin(std::string_view slug) const {
  return std::any_of(plugins.begin(), plugins.end(),
                     [&](const creator::Token& token) { return token.slug == slug; });
}

ReadChoice read_choice(const http::Query& query, const Catalog& catalog) {
  const creator::SelectionRequest request = creator::parse_selection_request(
      query.get("components"), query.get("plugins"), query.flag("optimized"));
  ReadChoice read;
  read.choice.plugins = request.plugins;
  read.choice.optimized = request.optimized;
  const Choice::Pins recommended = recommended_pins(catalog);
  if (!request.components) read.choice.pins = recommended;
  for (const creator::Token& token : request.components.value_or(std::vector<creator::Token>())) {
    add_token(token, catalog, read);
  }
  apply_pins(query.get("pin").value_or(""), catalog, read.choice);
  read.choice.is_recommended = read.choice.pins == recommended;
  return read;
}

creator::SelectionRequest request_of(const Choice& choice) {
  creator::SelectionRequest request;
  request.plugins = choice.plugins;
  request.optimized = choice.optimized;
  if (choice.is_recommended) return request;
  request.components.emplace();
  for (const auto& [slug, version] : choice.pins) request.components->push_back({slug, version});
  return request;
}

std::vector<domain::Rule> rules_in(const Choice& choice, const domain::Component& component,
                                   domain::RuleKind kind) {
  const domain::ComponentVersion* version = version_in(choice, component);
  std::vector<domain::Rule> rules;
  std::copy_if(component.rules.begin(), component.rules.end(), std::back_inserter(rules),
               [&](const domain::Rule& rule) {
                 return rule.kind == kind &&
                        (version == nullptr || rule.versions.contains(version->version));
               });
  return rules;
}

std::vector<std::pair<std::string_view, std::string>> choice_fields(const Choice& choice) {
  std::vector<std::pair<std::string_view, std::string>> fields;
  if (!choice.is_recommended) {
    std::string list = sys::join(choice.pins, ",", [](const auto& pin) {
      return creator::spelled({pin.first, pin.second});
    });
    fields.emplace_back("components", list.empty() ? "," : std::move(list));
  }
  std::string plugins = sys::join(choice.plugins, ",", creator::spelled);
  if (!plugins.empty()) fields.emplace_back("plugins", std::move(plugins));
  if (choice.optimized) fields.emplace_back("optimized", "1");
  return fields;
}

std::string choice_url(const Choice& choice) {
  std::string url = "/server";
  char separator = '?';
  for (const auto& [name, value] : choice_fields(choice)) {
    url.append(1, separator).append(name).append("=").append(sys::percent_encode(value, ",@"));
    separator = '&';
  }
  return url;
}

Choice server_with(const std::vector<std::string>& plugins, const Component& platform,
                   const Catalog& catalog) {
  Choice choice;
  choice.is_recommended = true;
  choice.pins = recommended_pins(catalog);
  if (!choice.has(platform.slug)) choice = with_only(std::move(choice), platform, catalog);
  for (const std::string& slug : plugins) choice = with_plugin(std::move(choice), slug);
  return choice;
}

Choice with(Choice choice, const std::string& component) {
  choice.is_recommended = false;
  choice.pins.try_emplace(component, "");
  return choice;
}

Choice without(Choice choice, const std::string& component) {
  choice.is_recommended = false;
  choice.pins.erase(component);
  return choice;
}

Choice with_only(Choice choice, const Component& component, const Catalog& catalog) {
  if (domain::info(component.layer).exclusive) {
    for (const Component& other : catalog.components()) {
      if (other.layer == component.layer && other.slug != component.slug) {
        choice.pins.erase(other.slug.str());
      }
    }
  }
  return with(std::move(choice), component.slug.str());
}

Choice with_plugin(Choice choice, std::string_view slug) {
  if (!choice.has_plugin(slug)) choice.plugins.push_back({std::string(slug), ""});
  std::sort(choice.plugins.begin(), choice.plugins.end());
  return choice;
}

Choice without_plugin(Choice choice, std::string_view slug) {
  std::erase_if(choice.plugins, [&](const creator::Token& token) { return token.slug == slug; });
  return choice;
}

Choice without_plugin_pin(Choice choice, std::string_view slug) {
  for (creator::Token& token : choice.plugins) {
    if (token.slug == slug) token.version.clear();
  }
  return choice;
}

}  // namespace goldsmith::handlers::pages
