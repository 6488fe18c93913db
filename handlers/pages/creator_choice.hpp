// What a visitor has chosen on the page of the server creator. Pure.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"
#include "app/web/request.hpp"

namespace goldsmith::handlers::pages {

// The parameters of the page: the choice, `build` or `link`, and what else it shows.
inline constexpr auto kCreatorParameters =
    std::to_array<web::Parameter>({{"components", web::Parameter::Kind::list},
                                   {"pin", web::Parameter::Kind::list},
                                   {"plugins", web::Parameter::Kind::list},
                                   {"order"},
                                   {"optimized", web::Parameter::Kind::flag},
                                   {"cfg"},
                                   {"build"},
                                   {"link"},
                                   {"q"},
                                   {"file"}});

struct Choice {
  using Pins = std::map<std::string, std::string, std::less<>>;

  bool is_recommended = false;  // the recommended components, without pins
  Pins pins;                    // chosen component → version, "" = latest
  std::vector<creator::Token> plugins;
  std::vector<std::string> order;  // of those that load first
  bool optimized = false;
  std::string settings = {};  // as in creator::SelectionRequest

  bool has(std::string_view component) const { return pins.contains(component); }
  bool has_plugin(std::string_view slug) const;
};

struct ReadChoice {
  Choice choice;
  std::vector<std::string> warnings;  // about what is not there and was replaced or left out
};

// From `components`, `pin`, `plugins`, `order`, `optimized` and `cfg`. What is not in the catalog,
// or not mirrored, is not an error: a version gives way to the latest, a component of an exclusive
// layer to the recommended one of its layer, any other is left out; so is what `order` names
// without `plugins`.
ReadChoice read_choice(const web::Query& query, const domain::Catalog& catalog);

creator::SelectionRequest request_of(const Choice& choice);

// The version that a selection with that choice has of the component, chosen or not; null if none
// is mirrored.
const domain::ComponentVersion* version_in(const Choice& choice,
                                           const domain::Component& component);

// The parameters of the page with that choice, by name.
std::vector<std::pair<std::string_view, std::string>> choice_fields(const Choice& choice);
// Its address.
std::string choice_url(const Choice& choice);

// The recommended server with these plugins on that platform, which may be another than the
// recommended one.
Choice server_with(const std::vector<std::string>& plugins, const domain::Component& platform,
                   const domain::Catalog& catalog);

// Changed copies.
Choice with(Choice choice, const std::string& component);
Choice with_version(Choice choice, const std::string& component, const std::string& version);
Choice without(Choice choice, const std::string& component);
// with() that also takes out the other components of its layer, if that is exclusive.
Choice with_only(Choice choice, const domain::Component& component, const domain::Catalog& catalog);
Choice with_plugin(Choice choice, std::string_view slug);
Choice without_setting(Choice choice, std::string_view name);
Choice without_plugin(Choice choice, std::string_view slug);
// These load first.
Choice with_order(Choice choice, std::vector<std::string> order);
// The plugin at its newest version.
Choice without_plugin_pin(Choice choice, std::string_view slug);

// The components to choose from, layer by layer, and why a selection cannot be built, with links
// that solve it. Pure.

// A list of {label, key, exclusive, components: […]}, without layers that have nothing to offer.
json::Array creator_form(const domain::Catalog& catalog, const Choice& choice);

// The name of a plugin for people, by its slug.
using PluginName = std::function<std::string(std::string_view slug)>;

// What a choice requires and does not have; nothing if that cannot be told.
using Lacking = std::function<std::vector<creator::MissingRequire>(const Choice&)>;

// A list of {text, solutions: [{label, url}]}. If several things are missing, the first item adds
// all of them, and what these lack in turn, a few levels deep. Without `lacking` only them.
json::Array problems_of(const creator::InvalidSelection& invalid, const Choice& choice,
                        const domain::Catalog& catalog, const PluginName& plugin_name,
                        const Lacking& lacking = {});

// Why two components conflict (creator::conflict_of()); "" if they do not.
std::string conflict_note(const domain::Component& left, const domain::Component& right,
                          const Choice& choice);

// Why a component that is not chosen would not work with what is; "" if it would.
std::string obstacle_of(const domain::Component& component, const Choice& choice,
                        const domain::Catalog& catalog);

}  // namespace goldsmith::handlers::pages
