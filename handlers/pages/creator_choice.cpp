#include "handlers/pages/creator_choice.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/creator/recommended.hpp"
#include "app/creator/requirements.hpp"
#include "app/creator/selection.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/names.hpp"
#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {

namespace {

using domain::Catalog;
using domain::Component;

bool is_offered(const Component& component) {
  return component.selectable && component.latest() != nullptr;
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
  for (const Component* component : creator::recommended(catalog).components) {
    pins.emplace(component->slug.str(), "");
  }
  return pins;
}

// A component that is known and was never mirrored, or is mirrored no more.
void replace(const Component& gone, const Catalog& catalog, ReadChoice& read) {
  const Component* other =
      domain::info(gone.layer).exclusive ? substitute_in(gone.layer, catalog) : nullptr;
  const std::string reason = tr(creator::absence_of(gone, ""));
  if (other == nullptr) {
    read.warnings.push_back(tr("{reason} It was left out.", {{"reason", reason}}));
    return;
  }
  read.choice.pins.try_emplace(other->slug.str(), "");
  read.warnings.push_back(tr("{reason} {component} is used instead.",
                             {{"reason", reason}, {"component", other->name}}));
}

void add_token(const creator::Token& token, const Catalog& catalog, ReadChoice& read) {
  const Component* component = catalog.find(token.slug);
  if (component == nullptr) {
    read.warnings.push_back(
        tr("There is no component “{component}”. It was left out.", {{"component", token.slug}}));
  } else if (component->versions.empty()) {
    replace(*component, catalog, read);
  } else if (!token.version.empty() && component->find_version(token.version) == nullptr) {
    read.choice.pins.try_emplace(token.slug, "");
    read.warnings.push_back(tr("{reason} It is used instead.",
                               {{"reason", tr(creator::absence_of(*component, token.version))}}));
  } else {
    std::string& pin = read.choice.pins[token.slug];
    if (pin.empty()) pin = token.version;
  }
}

// A version that was chosen beside a component counts only if the component is chosen, too.
void apply_pins(std::string_view list, const Catalog& catalog, Choice& choice) {
  for (const std::string_view piece : base::split(list, ',')) {
    const std::size_t at = piece.find('@');
    if (at == std::string_view::npos) continue;
    const auto chosen = choice.pins.find(piece.substr(0, at));
    const Component* component = catalog.find(piece.substr(0, at));
    if (chosen == choice.pins.end() || component == nullptr) continue;
    const std::string_view version = piece.substr(at + 1);
    if (component->find_version(version) != nullptr) chosen->second = version;
  }
}

using domain::Rule;
using domain::RuleKind;

json::Array versions_of(const Component& component, std::string_view pin) {
  return json::array_of(component.versions, [&](const domain::ComponentVersion& version) {
    return json::Object{{"version", version.version},
                        {"value", component.slug + "@" + version.version.str()},
                        {"date", version.released_at ? date(*version.released_at) : ""},
                        {"held", version.held.has_value()},
                        {"chosen", version.version == pin}};
  });
}

// "Needs X or Y, Z 2.0 or newer" and so on, from the rules.
std::string needs_of(const Component& component, const Choice& choice, const Catalog& catalog) {
  const auto needs = creator::requirements_of({&component, version_in(choice, component)}, catalog);
  return base::join(needs, "; ",
                    [](const creator::Requirement& each) { return tr(creator::in_words(each)); });
}

std::string relation(const Component& component, RuleKind kind, const Choice& choice,
                     const Catalog& catalog) {
  std::string names;
  for (const Rule& rule : creator::rules_of(component, kind, version_in(choice, component))) {
    names.append(names.empty() ? "" : ", ");
    names.append(tr(rule.with.in_words(creator::name_of(catalog, rule.component))));
  }
  return names;
}

// Why a component cannot be chosen by itself.
std::string comes_with(const Component& component, const Choice& choice, const Catalog& catalog) {
  std::string names;
  for (const Component& other : catalog.components()) {
    for (const Rule& rule :
         creator::rules_of(other, RuleKind::bundles, version_in(choice, other))) {
      if (rule.component != component.slug) continue;
      names.append(names.empty() ? "" : ", ").append(other.name);
    }
  }
  return names.empty()
             ? tr("Cannot be chosen by itself.")
             : tr("Cannot be chosen by itself: it comes with {names}.", {{"names", names}});
}

json::Object component_json(const Component& component, const Choice& choice,
                            const Catalog& catalog, bool is_recommended) {
  const bool is_chosen = choice.has(component.slug);
  const auto pin = choice.pins.find(component.slug.view());
  const std::string obstacle = component.selectable ? obstacle_of(component, choice, catalog)
                                                    : comes_with(component, choice, catalog);
  return {{"slug", component.slug},
          {"name", component.title()},
          {"description", tr(component.description)},
          {"license", component.license},
          {"homepage", web_link(component.homepage)},
          {"latest", component.latest()->version},
          {"versions", versions_of(component, is_chosen ? pin->second : "")},
          {"chosen", is_chosen},
          {"disabled", !component.selectable},
          {"recommended", is_recommended},
          {"needs", needs_of(component, choice, catalog)},
          {"brings", relation(component, RuleKind::bundles, choice, catalog)},
          {"better_with", relation(component, RuleKind::recommends, choice, catalog)},
          {"obstacle", obstacle},
          {"blocked", component.selectable && !is_chosen && !obstacle.empty()}};
}

}  // namespace

bool Choice::has_plugin(std::string_view slug) const {
  return std::any_of(plugins.begin(), plugins.end(),
                     [&](const creator::Token& token) { return token.slug == slug; });
}

ReadChoice read_choice(const web::Query& query, const Catalog& catalog) {
  const creator::SelectionRequest request = creator::parse_selection_request(
      query.get("components"), query.get("plugins"), query.flag("optimized"), query.get("order"));
  ReadChoice read;
  read.choice.plugins = request.plugins;
  read.choice.optimized = request.optimized;
  const std::string_view settings = query.get("cfg").value_or("");
  if (domain::is_utf8(settings)) {
    read.choice.settings = creator::settings_text(creator::parse_settings(settings));
  }
  for (const std::string& slug : request.order) {
    if (read.choice.has_plugin(slug)) read.choice.order.push_back(slug);
  }
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
  request.order = choice.order;
  request.optimized = choice.optimized;
  request.settings = choice.settings;
  if (choice.is_recommended) return request;
  request.components.emplace();
  for (const auto& [slug, version] : choice.pins) request.components->push_back({slug, version});
  return request;
}

const domain::ComponentVersion* version_in(const Choice& choice,
                                           const domain::Component& component) {
  const auto pin = choice.pins.find(component.slug.view());
  const bool is_pinned = pin != choice.pins.end() && !pin->second.empty();
  return is_pinned ? component.find_version(pin->second) : component.latest();
}

std::vector<std::pair<std::string_view, std::string>> choice_fields(const Choice& choice) {
  std::vector<std::pair<std::string_view, std::string>> fields;
  if (!choice.is_recommended) {
    std::string list = base::join(choice.pins, ",", [](const auto& pin) {
      return creator::spelled({pin.first, pin.second});
    });
    fields.emplace_back("components", list.empty() ? "," : std::move(list));
  }
  std::string plugins = base::join(choice.plugins, ",", creator::spelled);
  if (!plugins.empty()) fields.emplace_back("plugins", std::move(plugins));
  if (!choice.order.empty()) fields.emplace_back("order", base::join(choice.order, ","));
  if (choice.optimized) fields.emplace_back("optimized", "1");
  if (!choice.settings.empty()) fields.emplace_back("cfg", choice.settings);
  return fields;
}

std::string choice_url(const Choice& choice) {
  const std::string query = creator::request_query(request_of(choice));
  return query.empty() ? "/server" : "/server?" + query;
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

Choice with_version(Choice choice, const std::string& component, const std::string& version) {
  choice.is_recommended = false;
  choice.pins[component] = version;
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

Choice without_setting(Choice choice, std::string_view name) {
  std::vector<creator::CvarSetting> settings = creator::parse_settings(choice.settings);
  std::erase_if(settings, [&](const creator::CvarSetting& each) { return each.name == name; });
  choice.settings = creator::settings_text(settings);
  return choice;
}

Choice without_plugin(Choice choice, std::string_view slug) {
  std::erase_if(choice.plugins, [&](const creator::Token& token) { return token.slug == slug; });
  std::erase(choice.order, slug);
  return choice;
}

Choice with_order(Choice choice, std::vector<std::string> order) {
  choice.order = std::move(order);
  return choice;
}

Choice without_plugin_pin(Choice choice, std::string_view slug) {
  for (creator::Token& token : choice.plugins) {
    if (token.slug == slug) token.version.clear();
  }
  return choice;
}

json::Array creator_form(const Catalog& catalog, const Choice& choice) {
  const creator::Recommended recommended = creator::recommended(catalog);
  json::Array layers;
  for (const domain::LayerInfo& layer : domain::layers()) {
    json::Array components;
    for (const Component& component : catalog.components()) {
      if (component.layer != layer.layer || component.latest() == nullptr) continue;
      components.push_back(
          component_json(component, choice, catalog, recommended.has(component.slug)));
    }
    if (components.empty()) continue;
    layers.push_back(json::Object{{"key", layer.key},
                                  {"label", tr(layer.label)},
                                  {"exclusive", layer.exclusive},
                                  {"components", std::move(components)}});
  }
  return layers;
}

}  // namespace goldsmith::handlers::pages
