#include "app/owner/link.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "app/base/text.hpp"
#include "app/creator/selection.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using creator::InvalidSelection;

constexpr std::string_view kPlugin = "plugin:";  // begins what is no component

// Components, and of what is there the version.
using Wanted = std::map<ComponentId, std::optional<VersionId>>;

std::vector<Message> reasons_of(const InvalidSelection& invalid) {
  std::vector<Message> reasons;
  for (const auto& each : invalid.unavailable) reasons.push_back(each.reason);
  for (const auto& each : invalid.layer_conflicts) {
    reasons.push_back(Message("A server has only one of {components}.",
                              {{"components", base::join(each.components, ", ")}}));
  }
  for (const auto& each : invalid.conflicts) reasons.push_back(each.reason);
  for (const auto& each : invalid.missing_requires) {
    // The plugins of a selection have one reason.
    const bool is_repeated = each.component.starts_with(kPlugin) && !reasons.empty() &&
                             reasons.back().english() == each.reason.english();
    if (!is_repeated) reasons.push_back(each.reason);
  }
  return reasons;
}

class Linking {
 public:
  Linking(const KnownFiles& known, const Installed& installed, const FolderFacts& facts,
          std::vector<LinkedPlugin> plugins, bool pins)
      : known_(known), installed_(installed), facts_(facts), plugins_(std::move(plugins)) {
    link_.is_pinned = pins;
    // In the order of the directory.
    std::ranges::sort(plugins_, {}, &LinkedPlugin::plugin);
  }

  ReportedLink link() {
    Wanted wanted;
    Wanted all;
    for (ComponentId c = 0; c < known_.components().size(); ++c) {
      const auto version = installed_.version_of(c);
      const Installed::Place* const place = installed_.place_of(c);
      if (!known_.components()[c].is_selectable || (!version && place == nullptr)) continue;
      if (!installed_.why_unloaded(c).empty()) continue;
      all[c] = version;
      if (version || place->standing == Installed::Standing::replaceable) {
        wanted[c] = version;
      } else {
        stay(c, link_.stays);
      }
    }
    add_unknown_layers();
    const auto now = check(wanted, true);
    const std::vector<LinkedPlugin> all_plugins = plugins_;
    auto invalid = check(wanted, link_.is_pinned);
    while (invalid && leave_out(*invalid, wanted)) invalid = check(wanted, link_.is_pinned);
    if (invalid) {
      link_.problems = reasons_of(*invalid);
    } else if (now) {
      InvalidSelection of_versions{{}, {}, now->conflicts, now->missing_requires, {}};
      std::erase_if(of_versions.missing_requires,
                    [](const auto& each) { return each.versions.is_every(); });
      link_.now = reasons_of(of_versions);
    }
    for (const auto& [c, version] : wanted) {
      if (!version) link_.guesses.emplace_back(known_.components()[c].slug);
    }
    link_.query = query_of(wanted);
    link_.left_out = plugins_.size() - std::min(plugins_.size(), creator::kMaxPlugins);
    if (link_.problems.empty()) add_lines(wanted);
    if (link_.problems.empty() && link_.stays.empty()) return std::move(link_);
    plugins_ = all_plugins;
    complete(std::move(all));
    return std::move(link_);
  }

 private:
  std::optional<InvalidSelection> check(const Wanted& wanted, bool pins) const {
    const domain::Catalog& catalog = known_.catalog();
    if (catalog.components().empty()) return std::nullopt;
    const std::vector<std::string> plugins(plugins_.empty() ? 0 : 1);
    auto result = creator::select_named(*request_of(wanted, pins).components, catalog, plugins);
    if (auto* const invalid = std::get_if<InvalidSelection>(&result)) return std::move(*invalid);
    InvalidSelection invalid;
    if (wanted.empty()) creator::check_stack({catalog, {}, {}}, plugins, invalid);
    return invalid.empty() ? std::nullopt : std::optional(std::move(invalid));
  }

  std::optional<ComponentId> find(std::string_view slug) const {
    const auto components = known_.components();
    const auto found = std::ranges::find(components, slug, &KnownComponent::slug);
    if (found == components.end()) return std::nullopt;
    return static_cast<ComponentId>(found - components.begin());
  }

  void stay(ComponentId component, std::vector<std::string>& list) {
    const KnownComponent& known = known_.components()[component];
    list.emplace_back(known.slug);
    staying_.insert(known.layer);
  }

  // A loader or a game library that is loaded, and that nobody here knows.
  void add_unknown_layers() {
    const Loaded& loaded = facts_.loaded;
    const auto add = [&](std::string_view layer, const std::string& path) {
      for (ComponentId c = 0; c < known_.components().size(); ++c) {
        if (!path.empty() && installed_.library_of(c) == path) return;
      }
      const bool is_there = std::ranges::any_of(
          facts_.files, [&](const FolderFile& file) { return file.path == path; });
      if (!is_there) return;
      staying_.insert(layer);
      link_.stays.push_back(shown(path));
    };
    if (loaded.has_metamod) add("metamod", loaded.game);
    add("gamedll", loaded.library);
  }

  // Takes out what needs what stays, but not what another component brings. Whether there was such.
  bool leave_out(const InvalidSelection& invalid, Wanted& wanted) {
    bool is_changed = false;
    for (const auto& each : invalid.missing_requires) {
      const domain::Component* const needed = known_.catalog().find(each.requires_);
      if (needed == nullptr || !domain::info(needed->layer).exclusive ||
          !staying_.contains(domain::to_string(needed->layer))) {
        continue;
      }
      const auto component = find(each.component);
      if (component && wanted.erase(*component) > 0) {
        stay(*component, link_.stays_with);
        is_changed = true;
      }
      if (!component && !plugins_.empty()) {
        plugins_.clear();
        is_changed = true;
      }
    }
    return is_changed;
  }

  // With what the service has in place of what stays, and with what that needs.
  void complete(Wanted wanted) {
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      const auto invalid = check(wanted, link_.is_pinned);
      if (!invalid) {
        const std::string query = query_of(wanted);
        if (query != link_.query) link_.whole = query;
        return;
      }
      // Another one of its layer may take its place: the one that others name.
      for (const auto& each : invalid->conflicts) wanted.erase(*find(each.component));
      for (const auto& each : invalid->missing_requires) {
        if (const auto needed = find(each.requires_)) wanted.try_emplace(*needed);
      }
    }
  }

  creator::SelectionRequest request_of(const Wanted& wanted, bool pins) const {
    creator::SelectionRequest request;
    request.components.emplace();
    for (const auto& [c, version] : wanted) {
      const std::string_view number = pins && version ? known_.version(*version).number : "";
      request.components->push_back(
          {std::string(known_.components()[c].slug), std::string(number)});
    }
    for (const LinkedPlugin& each : plugins_) {
      if (request.plugins.size() == creator::kMaxPlugins) break;
      request.plugins.push_back(
          {std::string(known_.plugins()[each.plugin].slug), pins ? each.version : ""});
    }
    const auto is_platform = [&](const auto& each) {
      return known_.components()[each.first].layer == domain::to_string(domain::Layer::amxmodx);
    };
    if (std::ranges::any_of(wanted, is_platform)) request.settings = facts_.loaded.settings;
    return request;
  }

  std::string query_of(const Wanted& wanted) const {
    creator::SelectionRequest request = request_of(wanted, link_.is_pinned);
    if (wanted.empty()) request.components.reset();
    return creator::request_query(request);
  }

  // What a build loads from elsewhere, or not at all.
  void add_lines(const Wanted& wanted) {
    constexpr std::string_view kGame = "cstrike/";
    std::set<std::string_view> linked;
    for (const auto& [c, version] : wanted) linked.insert(installed_.library_of(c));
    const Loaded& loaded = facts_.loaded;
    const auto below_game = [&](std::string_view path) {
      return shown(path.starts_with(kGame) ? path.substr(kGame.size())
                                           : std::string("../").append(path));
    };
    std::set<std::string> overrides;
    const auto override_by = [&](const std::string& by, const std::string& path) {
      const bool is_kept = linked.contains(path) && !installed_.moved_to(path);
      if (!path.empty() && !is_kept) overrides.insert(shown(by));
    };
    const bool has_dll = loaded.game_by != "cstrike/liblist.gam";
    if (has_dll) override_by(loaded.game_by + " (-dll)", loaded.game);
    const bool is_by_itself =
        loaded.library_by == loaded.game || loaded.library_by == loaded.game_by;
    if (!is_by_itself) override_by(loaded.library_by, loaded.library);
    if (!loaded.list_by.empty()) overrides.insert(shown(loaded.list_by));
    link_.overrides.assign(overrides.begin(), overrides.end());
    if (loaded.has_metamod && !loaded.game.empty() && !linked.contains(loaded.game)) {
      link_.lines.emplace_back("cstrike/liblist.gam",
                               "gamedll_linux \"" + below_game(loaded.game) + "\"");
    }
  }

  const KnownFiles& known_;
  const Installed& installed_;
  const FolderFacts& facts_;
  std::vector<LinkedPlugin> plugins_;
  std::set<std::string_view> staying_;  // layers
  ReportedLink link_;
};

}  // namespace

ReportedLink link_to(const KnownFiles& known, const Installed& installed, const FolderFacts& facts,
                     const std::vector<LinkedPlugin>& plugins, bool pins) {
  return Linking(known, installed, facts, plugins, pins).link();
}

}  // namespace goldsmith::owner
