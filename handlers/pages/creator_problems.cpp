#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/base/text.hpp"
#include "app/creator/selection.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/language.hpp"

namespace goldsmith::handlers::pages {

namespace {

using creator::name_of;
using creator::Selected;
using domain::Catalog;
using domain::Component;

// "SLUG" of "plugin:SLUG"; "" for a component.
std::string_view plugin_of(std::string_view component) {
  constexpr std::string_view kPlugin = "plugin:";
  return component.starts_with(kPlugin) ? component.substr(kPlugin.size()) : std::string_view();
}

// False if `one` requires another version of `other`.
bool is_content_with(const Selected& one, const Selected& other) {
  return std::ranges::all_of(
      creator::rules_of(*one.component, domain::RuleKind::requires_, one.version),
      [&](const domain::Rule& rule) {
        return rule.component != other.component->slug || creator::is_about(rule, other.version);
      });
}

bool go_together(const Selected& one, const Selected& other) {
  return !creator::conflict_of(one, other) && is_content_with(one, other) &&
         is_content_with(other, one);
}

bool is_offered(const Component* component) {
  return component != nullptr && component->selectable && component->latest() != nullptr;
}

class Solutions {
 public:
  Solutions(const Choice& choice, const Catalog& catalog, const PluginName& plugin_name)
      : choice_(choice), catalog_(catalog), plugin_name_(plugin_name) {}

  // "Add X", a component or `plugin:SLUG`; nothing if it is not offered. "Use X 1.2" where the
  // version decides.
  void provide(const creator::MissingRequire& item) {
    const std::string& slug = item.requires_;
    if (const std::string_view plugin = plugin_of(slug); !plugin.empty()) {
      if (item.instead_of.empty()) {
        put(tr("Add the plugin {plugin}", {{"plugin", plugin_name_(plugin)}}),
            with_plugin(choice_, plugin));
      } else {
        put(tr("Use the plugin {plugin} instead of {other}",
               {{"plugin", plugin_name_(plugin)}, {"other", plugin_name_(item.instead_of)}}),
            with_plugin(without_plugin(choice_, item.instead_of), plugin));
      }
      return;
    }
    const Component* component = catalog_.find(slug);
    if (is_offered(component)) {
      if (choice_.has(slug) || !item.versions.contains(component->latest()->version)) {
        return use_version(slug, item.component);
      }
      add(*component);
    }
    for (const creator::Accepted& each : item.others) {
      if (is_offered(each.component)) add(*each.component);
    }
  }
  // "Add all": what is missing, as far as it is offered, and what that needs in turn. Returns the
  // names of what that is, by what each item requires.
  std::map<std::string, std::string> provide_all(const std::vector<creator::MissingRequire>& items,
                                                 const Lacking& lacking) {
    constexpr int kMostLevels = 6;
    Choice all = choice_;
    std::map<std::string, std::string> names;
    std::vector<creator::MissingRequire> rest = items;
    for (int level = 0; level < kMostLevels && provide_to(all, rest, names); ++level) {
      if (lacking) {
        rest = lacking(all);
      } else {
        rest.clear();
      }
    }
    put(tr("Add all"), all);
    return names;
  }
  void remove(const std::string& slug) {
    put(tr("Remove {component}", {{"component", name_of(catalog_, slug)}}), without(choice_, slug));
  }
  // "Use X 1.2": the newest version of the component that works with `other` and with the rest.
  void use_version(const std::string& slug, const std::string& other) {
    const Component* component = catalog_.find(slug);
    if (component == nullptr) return;
    for (const domain::ComponentVersion& version : component->versions) {
      if (version.held) continue;
      const Choice choice = with_version(choice_, slug, version.version.str());
      if (!fits(*component, with(choice, other))) continue;
      put(tr("Use {component} {version}",
             {{"component", component->title()}, {"version", version.version}}),
          choice);
      return;
    }
  }
  // "Remove"; for a pinned plugin also "Use its newest version".
  void solve_plugin(std::string_view slug, bool is_pin_to_blame) {
    if (is_pin_to_blame) {
      put(tr("Use the newest version of {plugin}", {{"plugin", plugin_name_(slug)}}),
          without_plugin_pin(choice_, slug));
    }
    put(tr("Remove the plugin {plugin}", {{"plugin", plugin_name_(slug)}}),
        without_plugin(choice_, slug));
  }
  // "Use Y instead": the others of its exclusive layer that work with the rest.
  void replace(const std::string& slug) {
    const Component* gone = catalog_.find(slug);
    if (gone == nullptr || !domain::info(gone->layer).exclusive) return;
    const Choice rest = without(choice_, slug);
    for (const Component& other : catalog_.components()) {
      if (other.layer != gone->layer || other.slug == gone->slug || !other.selectable ||
          other.latest() == nullptr || rest.has(other.slug) || !fits(other, rest)) {
        continue;
      }
      put(tr("Use {component} instead of {other}",
             {{"component", other.name}, {"other", gone->name}}),
          with_only(rest, other, catalog_));
    }
  }
  void keep_only(const std::string& slug) {
    const Component* component = catalog_.find(slug);
    if (component == nullptr) return;
    put(tr("Use only {component}", {{"component", component->name}}),
        with_only(choice_, *component, catalog_));
  }

  json::Array take() { return std::move(array_); }

 private:
  bool fits(const Component& component, const Choice& rest) const {
    return std::none_of(rest.pins.begin(), rest.pins.end(), [&](const auto& pin) {
      const Component* other = catalog_.find(pin.first);
      return other != nullptr && !go_together({&component, version_in(rest, component)},
                                              {other, version_in(rest, *other)});
    });
  }
  // False if nothing of it is offered, or all is there.
  bool provide_to(Choice& all, const std::vector<creator::MissingRequire>& items,
                  std::map<std::string, std::string>& names) const {
    bool has_more = false;
    for (const creator::MissingRequire& item : items) {
      const std::string& slug = item.requires_;
      const std::string_view plugin = plugin_of(slug);
      const Component* const component = plugin.empty() ? provider_of(item) : nullptr;
      if (!plugin.empty() && !all.has_plugin(plugin)) {
        if (!item.instead_of.empty()) all = without_plugin(std::move(all), item.instead_of);
        all = with_plugin(std::move(all), plugin);
        names.emplace(slug, plugin_name_(plugin));
        has_more = true;
      } else if (component != nullptr && !all.has(component->slug)) {
        all = with_only(std::move(all), *component, catalog_);
        names.emplace(slug, component->title());
        has_more = true;
      }
    }
    return has_more;
  }
  void put(const std::string& label, const Choice& choice) {
    array_.push_back(json::Object{{"label", label}, {"url", choice_url(choice)}});
  }
  void add(const Component& component) {
    put(tr("Add {component}", {{"component", component.name}}),
        with_only(choice_, component, catalog_));
  }
  // What is required; where it is not offered, the first that does as well. Null if the newest
  // version of that does not do.
  const Component* provider_of(const creator::MissingRequire& item) const {
    const Component* const named = catalog_.find(item.requires_);
    if (is_offered(named)) return suits(*named, item.versions);
    for (const creator::Accepted& each : item.others) {
      if (is_offered(each.component)) return suits(*each.component, each.versions);
    }
    return nullptr;
  }
  static const Component* suits(const Component& component, const domain::VersionRange& versions) {
    return versions.contains(component.latest()->version) ? &component : nullptr;
  }

  const Choice& choice_;
  const Catalog& catalog_;
  const PluginName& plugin_name_;
  json::Array array_;
};

// Each reason once: several plugins without a platform have the same.
struct Need {
  creator::MissingRequire item;
  bool is_of_several = false;
};

std::vector<Need> each_once(const std::vector<creator::MissingRequire>& items) {
  std::vector<Need> needs;
  for (const creator::MissingRequire& item : items) {
    const auto same = std::ranges::find_if(needs, [&](const Need& each) {
      return each.item.requires_ == item.requires_ &&
             each.item.reason.english() == item.reason.english();
    });
    if (same == needs.end()) {
      needs.push_back({item});
    } else {
      same->is_of_several = true;
    }
  }
  return needs;
}

std::string label_of(std::string_view layer) {
  const auto parsed = domain::parse_layer(layer);
  return parsed ? tr(domain::info(*parsed).label) : std::string(layer);
}

class Problems {
 public:
  Problems(const Choice& choice, const Catalog& catalog, const PluginName& plugin_name)
      : choice_(choice), catalog_(catalog), solutions_(choice, catalog, plugin_name) {}

  // One box of several that can be added, with each of them in it; the others each for itself.
  void add_missing(const std::vector<creator::MissingRequire>& items, const Lacking& lacking) {
    const auto names = solutions_.provide_all(items, lacking);
    std::set<std::string> needy;
    for (const creator::MissingRequire& item : items) needy.insert(item.component);
    if (needy.size() == 1) remove_chosen(*needy.begin());
    json::Array solutions = solutions_.take();
    const std::vector<Need> needs = each_once(items);
    if (names.size() < 2) {
      for (const Need& need : needs) add(need);
      return;
    }
    json::Array others = std::exchange(array_, {});
    for (const Need& need : needs) {
      if (names.contains(need.item.requires_)) add(need);
    }
    json::Array each = std::exchange(array_, std::move(others));
    const std::string list =
        base::join(names, ", ", [](const auto& name) -> const std::string& { return name.second; });
    array_.push_back(json::Object{
        {"text", tr("What is chosen needs more that is not chosen: {names}.", {{"names", list}})},
        {"solutions", std::move(solutions)},
        {"has_each", true},
        {"each", std::move(each)}});
    for (const Need& need : needs) {
      if (!names.contains(need.item.requires_)) add(need);
    }
  }

  void add_unknown(const std::string& slug) {
    solutions_.remove(slug);
    put(tr("{component} cannot be chosen by itself.", {{"component", name(slug)}}));
  }
  void add(const creator::Unavailable& item) {
    const std::string_view plugin = plugin_of(item.component);
    if (!plugin.empty()) solutions_.solve_plugin(plugin, true);
    solutions_.replace(item.component);
    remove_chosen(item.component);
    put(tr(item.reason));
  }
  void add(const creator::LayerConflict& item) {
    for (const std::string& slug : item.components) solutions_.keep_only(slug);
    put(tr("{components} exclude each other: a server has one component of the layer {layer}.",
           {{"components", all_of(item.components)}, {"layer", label_of(item.layer)}}));
  }
  void add(const creator::Conflict& item) {
    solutions_.use_version(item.with, item.component);
    solutions_.use_version(item.component, item.with);
    solutions_.replace(item.component);
    solutions_.replace(item.with);
    remove_chosen(item.component);
    remove_chosen(item.with);
    put(tr("{component} conflicts with {other}. {reason}", {{"component", name(item.component)},
                                                            {"other", name(item.with)},
                                                            {"reason", tr(item.reason)}}));
  }
  // To take out one of several that need it solves nothing.
  void add(const Need& need) {
    const creator::MissingRequire& item = need.item;
    solutions_.provide(item);
    if (choice_.has(item.requires_)) solutions_.use_version(item.component, item.requires_);
    const std::string_view plugin = plugin_of(item.component);
    if (!plugin.empty() && !need.is_of_several) solutions_.solve_plugin(plugin, false);
    if (!need.is_of_several) remove_chosen(item.component);
    put(tr(item.reason));
  }

  json::Array take() { return std::move(array_); }

 private:
  std::string name(std::string_view slug) const { return name_of(catalog_, slug); }
  std::string all_of(const std::vector<std::string>& slugs) const {
    std::string names;
    for (const std::string& slug : slugs) {
      names = names.empty() ? name(slug)
                            : tr("{names} and {name}", {{"names", names}, {"name", name(slug)}});
    }
    return names;
  }
  void remove_chosen(const std::string& slug) {
    if (choice_.has(slug)) solutions_.remove(slug);
  }
  // With the solutions so far.
  void put(const std::string& text) {
    array_.push_back(json::Object{{"text", text}, {"solutions", solutions_.take()}});
  }

  const Choice& choice_;
  const Catalog& catalog_;
  Solutions solutions_;
  json::Array array_;
};

}  // namespace

std::string conflict_note(const Component& left, const Component& right, const Choice& choice) {
  const auto conflict =
      creator::conflict_of({&left, version_in(choice, left)}, {&right, version_in(choice, right)});
  return conflict ? tr(conflict->reason) : "";
}

json::Array problems_of(const creator::InvalidSelection& invalid, const Choice& choice,
                        const Catalog& catalog, const PluginName& plugin_name,
                        const Lacking& lacking) {
  Problems problems(choice, catalog, plugin_name);
  for (const std::string& slug : invalid.unknown) problems.add_unknown(slug);
  for (const creator::Unavailable& each : invalid.unavailable) problems.add(each);
  for (const creator::LayerConflict& each : invalid.layer_conflicts) problems.add(each);
  for (const creator::Conflict& each : invalid.conflicts) problems.add(each);
  problems.add_missing(invalid.missing_requires, lacking);
  return problems.take();
}

std::string obstacle_of(const Component& component, const Choice& choice, const Catalog& catalog) {
  std::string text;
  for (const auto& [slug, version] : choice.pins) {
    const Component* other = catalog.find(slug);
    if (other == nullptr || other->slug == component.slug) continue;
    // In an exclusive layer one replaces the other.
    if (other->layer == component.layer && domain::info(component.layer).exclusive) continue;
    const std::string note = conflict_note(component, *other, choice);
    if (!note.empty()) text.append(text.empty() ? "" : " ").append(note);
  }
  return text;
}

}  // namespace goldsmith::handlers::pages
