#include "app/creator/provider_choice.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "app/creator/plugin_files.hpp"
#include "app/creator/plugin_requirements.hpp"

namespace goldsmith::creator {
namespace {

using Candidates = Providers::Plugins;

// How many of the natives it offers.
std::size_t count_offered(const domain::PluginNeeds* needs,
                          const std::vector<std::string>& natives) {
  if (needs == nullptr || !needs->natives) return 0;
  const std::vector<std::string>& offers = needs->natives->offers;
  return static_cast<std::size_t>(std::ranges::count_if(natives, [&](const std::string& each) {
    return std::binary_search(offers.begin(), offers.end(), each);
  }));
}

// Chooses among the plugins of the directory that have the same.
class Chooser {
 public:
  Chooser(const CompiledPlugins& compiled, const Providers& providers, const std::string& line,
          const FamiliesOf& families_of)
      : compiled_(compiled), providers_(providers), line_(line), families_of_(families_of) {}

  // Without those that are asked for already.
  Candidates with(const domain::PluginNeed& need) const {
    return not_asked_for(providers_.plugins_with(need, line_));
  }
  Candidates with_native(const std::string& native) const {
    return not_asked_for(providers_.plugins_with_native(native, line_));
  }

  // The one that goes best with the selection and with the plugin `slug`, which lacks the natives;
  // `plugins` are the most downloaded first. Precondition: there is one.
  const db::LibraryPlugin& best(const Candidates& plugins, const std::string& slug,
                                const std::vector<std::string>& natives) {
    const db::LibraryPlugin* found = nullptr;
    Rank rank;
    for (const db::LibraryPlugin* each : plugins) {
      const Rank own = rank_of(*each, plugins.size() > 1 ? slug : "", natives);
      if (found == nullptr || own > rank) std::tie(found, rank) = std::tuple(each, own);
    }
    return *found;
  }

  // The plugin of the selection in whose place it would be: they have a file name in common and
  // offer the same. Null if there is none.
  const PluginOutcome* rival_of(const db::LibraryPlugin& plugin) const {
    if (plugin.binary.empty()) return nullptr;
    const domain::PluginNeeds* const needs = providers_.needs_of(plugin, line_);
    for (const PluginOutcome& each : compiled_.plugins) {
      const auto* other = std::get_if<CompiledPlugin>(&each.result);
      if (other == nullptr) continue;
      const domain::PluginFile* const entry = domain::entry_point(other->version);
      if (entry == nullptr || domain::binary_name(*entry) != plugin.binary) continue;
      if (plugin.name == each.name || (needs != nullptr && offer_the_same(*needs, other->needs))) {
        return &each;
      }
    }
    return nullptr;
  }

 private:
  struct Rank {
    bool is_addition = false;
    bool has_all = false;
    int kinship = 0;
    std::size_t offered = 0;

    auto operator<=>(const Rank&) const = default;
  };

  Candidates not_asked_for(Candidates plugins) const {
    std::erase_if(plugins, [&](const db::LibraryPlugin* plugin) {
      return std::ranges::any_of(compiled_.plugins, [&](const PluginOutcome& each) {
        return each.slug == plugin->slug.view();
      });
    });
    return plugins;
  }

  // `slug`: "" if kinship does not matter.
  Rank rank_of(const db::LibraryPlugin& plugin, const std::string& slug,
               const std::vector<std::string>& natives) {
    const std::size_t offered = count_offered(providers_.needs_of(plugin, line_), natives);
    return {rival_of(plugin) == nullptr, offered == natives.size(),
            slug.empty() ? 0 : kinship(plugin.family, slug), offered};
  }

  // Of the same repository as the plugin, as another one of the selection, or of the same author.
  int kinship(const db::PluginFamily& family, const std::string& slug) {
    if (!families_) families_ = load_families();
    int kinship = 0;
    for (const auto& [other, own] : *families_) {
      const bool is_it = other.view() == slug;
      const bool same_place = !own.repository.empty() && own.repository == family.repository;
      const bool same_author = !own.author.empty() && own.author == family.author;
      if (same_place) kinship = std::max(kinship, is_it ? 3 : 2);
      if (same_author && is_it) kinship = std::max(kinship, 1);
    }
    return kinship;
  }
  std::map<domain::Slug, db::PluginFamily> load_families() const {
    std::vector<domain::Slug> slugs;
    for (const PluginOutcome& each : compiled_.plugins) {
      if (const auto slug = domain::Slug::parse(each.slug)) slugs.push_back(*slug);
    }
    return families_of_(slugs);
  }

  const CompiledPlugins& compiled_;
  const Providers& providers_;
  const std::string& line_;
  const FamiliesOf& families_of_;
  std::optional<std::map<domain::Slug, db::PluginFamily>> families_;
};

class Finder {
 public:
  Finder(const Selection& selection, CompiledPlugins& compiled, const Providers& providers,
         const FamiliesOf& families_of)
      : selection_(selection),
        compiled_(compiled),
        providers_(providers),
        chooser_(compiled, providers, line_, families_of) {}

  std::vector<MissingRequire> find() {
    const std::vector<UnmetNatives> natives = unmet_natives(selection_, compiled_.plugins);
    for (const UnmetNeed& unmet : unmet_needs(selection_, compiled_.plugins)) add(unmet);
    for (const UnmetNatives& unmet : natives) add(unmet);
    return std::move(missing_);
  }

 private:
  void add(const UnmetNeed& unmet);
  void add(UnmetNatives unmet);
  std::vector<std::string> add_components(UnmetNatives& unmet);
  template <typename Unmet>
  void add_plugin(const Unmet& unmet, const db::LibraryPlugin& plugin);
  void add(MissingRequire require);
  template <typename Unmet>
  void note(const Unmet& unmet) {
    note_unmet(unmet, compiled_.plugins);
    compiled_.is_final = false;  // a check may find the plugin that has it
  }

  const Selection& selection_;
  CompiledPlugins& compiled_;
  const Providers& providers_;
  const std::string line_ = line_of(selection_);
  Chooser chooser_;
  std::vector<MissingRequire> missing_;
};

void Finder::add(const UnmetNeed& unmet) {
  const Provider provider = providers_.of(unmet.need, line_);
  if (provider.kind == Provider::Kind::plugin) {
    const Candidates plugins = chooser_.with(unmet.need);
    return plugins.empty() ? note(unmet)
                           : add_plugin(unmet, chooser_.best(plugins, unmet.slug, {}));
  }
  if (!provider.is_known() || has(selection_, provider.slug)) return note(unmet);
  add(missing_require(unmet, provider));
}

// The plugin may take the place of another one.
template <typename Unmet>
void Finder::add_plugin(const Unmet& unmet, const db::LibraryPlugin& plugin) {
  MissingRequire require = missing_require(unmet, Provider::of(plugin));
  if (const PluginOutcome* const rival = chooser_.rival_of(plugin)) {
    require.instead_of = rival->slug;
    require.reason = base::Message(
        "{reason} It takes the place of {rival}, whose file has the same name and offers the same.",
        {{"reason", std::move(require.reason)},
         {"rival", rival->name.empty() ? rival->slug : rival->name}});
  }
  add(std::move(require));
}

void Finder::add(MissingRequire require) {
  const bool is_known = std::ranges::any_of(missing_, [&](const MissingRequire& each) {
    return each.component == require.component && each.requires_ == require.requires_;
  });
  if (!is_known) missing_.push_back(std::move(require));
}

// Leaves the natives that no component offers. Returns those of a component of the selection, which
// offers them in another version.
std::vector<std::string> Finder::add_components(UnmetNatives& unmet) {
  std::map<std::string, std::pair<Provider, UnmetNatives>> parts;  // by the slug of the component
  std::vector<std::string> rest;
  std::vector<std::string> nobodys;
  for (std::string& native : unmet.natives) {
    Provider provider = providers_.of_native(native, line_);
    if (provider.kind != Provider::Kind::component) {
      rest.push_back(std::move(native));
    } else if (has(selection_, provider.slug)) {
      nobodys.push_back(std::move(native));
    } else {
      std::string slug = provider.slug;
      const auto part = parts.try_emplace(std::move(slug), std::move(provider),
                                          UnmetNatives{unmet.slug, unmet.name, {}});
      part.first->second.second.natives.push_back(std::move(native));
    }
  }
  for (const auto& [slug, part] : parts) add(missing_require(part.second, part.first));
  unmet.natives = std::move(rest);
  return nobodys;
}

// As few plugins as have all of it, each the one that goes best with the selection.
void Finder::add(UnmetNatives unmet) {
  std::vector<std::string> nobodys = add_components(unmet);
  std::vector<std::string>& open = unmet.natives;
  std::map<std::string, Candidates> offered;
  for (const std::string& native : open) offered.emplace(native, chooser_.with_native(native));
  while (!open.empty()) {
    std::set<const db::LibraryPlugin*> all;  // the most downloaded first: they are of one list
    for (const std::string& native : open) {
      all.insert(offered[native].begin(), offered[native].end());
    }
    if (all.empty()) break;
    const db::LibraryPlugin& plugin =
        chooser_.best(Candidates(all.begin(), all.end()), unmet.slug, open);
    UnmetNatives part{unmet.slug, unmet.name, {}};
    std::erase_if(open, [&](const std::string& native) {
      const bool is_offered = std::ranges::find(offered[native], &plugin) != offered[native].end();
      if (is_offered) part.natives.push_back(native);
      return is_offered;
    });
    add_plugin(part, plugin);
  }
  std::ranges::move(nobodys, std::back_inserter(open));
  if (open.empty()) return;
  std::ranges::sort(open);
  note(unmet);
}

}  // namespace

std::vector<MissingRequire> chosen_providers(const Selection& selection, CompiledPlugins& compiled,
                                             const Providers& providers,
                                             const FamiliesOf& families) {
  return Finder(selection, compiled, providers, families).find();
}

}  // namespace goldsmith::creator
