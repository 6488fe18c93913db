#include <algorithm>
#include <functional>
#include <set>

#include "app/base/text.hpp"
#include "app/creator/comparison.hpp"
#include "handlers/builds.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::size_t kEntries = 50;
constexpr std::string_view kAtom = "application/atom+xml; charset=utf-8";

struct Entry {
  std::string id;
  std::string url;
  std::string title;
  std::string author;
  std::string summary;
  domain::Timestamp time{};
};

// Leads to a version on the page of its plugin.
std::string fragment(std::string_view version) {
  return "#version-" + base::percent_encode(version);
}

json::Object entry_json(const Entry& entry) {
  return {{"id", entry.id},         {"url", entry.url},         {"title", entry.title},
          {"author", entry.author}, {"summary", entry.summary}, {"time", iso_time(entry.time)}};
}

web::Response feed(const Site& site, const std::string& path, const std::string& about,
                   const std::string& title, const std::vector<Entry>& entries) {
  // A feed without entries has never changed.
  const domain::Timestamp updated = entries.empty() ? domain::Timestamp{} : entries.front().time;
  return site.document("feed", kAtom,
                       {{"feed_url", site.link(path)},
                        {"about_url", site.link(about)},
                        {"title", title},
                        {"updated", iso_time(updated)},
                        {"entries", json::array_of(entries, entry_json)}});
}

// The newest first, and no more than a feed has.
void sort_and_cut(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& left, const Entry& right) { return left.time > right.time; });
  entries.resize(std::min(entries.size(), kEntries));
}

// The address of a component on the page of the server creator.
std::string component_url(const Site& site, const domain::Component& component) {
  return site.link("/server") + "#component-" + component.slug.str();
}

// An entry has the same id in every feed, in any language: a reader shows it once.
std::string version_id(const Site& site, const domain::Component& component,
                       const domain::ComponentVersion& version) {
  return site.absolute("/server") + "#component-" + component.slug.str() + "-" +
         base::percent_encode(version.version);
}

std::string category_text(std::string_view category) {
  return tr("Category: {category}", {{"category", topic_label(category)}});
}

Entry held_entry(const Site& site, const domain::Component& component,
                 const domain::ComponentVersion& version) {
  return {version_id(site, component, version) + "-held",
          component_url(site, component),
          tr("{component} {version} is held",
             {{"component", component.name}, {"version", version.version}}),
          "",
          version.held->reason,
          version.held->at};
}

Entry plugin_entry(const Site& site, const domain::Plugin& plugin,
                   const domain::PluginVersion& version) {
  const std::string path = plugin_path(plugin.slug);
  const std::string place = fragment(version.version);
  return {site.absolute(path) + place,
          site.link(path) + place,
          plugin.name + " " + version.version.str(),
          plugin.author,
          category_text(plugin.category),
          version.created_at.value_or(plugin.updated_at)};
}

// The slugs that a selection names with a version.
std::set<std::string, std::less<>> pinned_of(const std::vector<creator::Token>& tokens) {
  std::set<std::string, std::less<>> pinned;
  for (const creator::Token& token : tokens) {
    if (!token.version.empty()) pinned.insert(token.slug);
  }
  return pinned;
}

// What is newer than the pin; without one, the newest that is used.
template <typename Version>
std::vector<const Version*> news_of(const std::vector<Version>& newest_first, std::string_view used,
                                    bool is_pinned) {
  if (is_pinned) {
    return creator::versions_between(newest_first, used, newest_first.front().version.view());
  }
  for (const Version& version : newest_first) {
    if (version.version.view() == used) return {&version};
  }
  return {};
}

// A comparison of a build with what the selection would give without its pins.
std::string comparison_url(const Site& site, creator::SelectionRequest request,
                           const creator::Plan& plan) {
  if (request.components) {
    for (creator::Token& token : *request.components) token.version.clear();
  }
  for (creator::Token& token : request.plugins) token.version.clear();
  std::string query = creator::request_query(request);
  if (!query.empty()) query += '&';
  return site.link("/server/compare?" + query + "from=" + plan.build_hash);
}

void add_components(const Site& site, const creator::Plan& plan,
                    const creator::SelectionRequest& request, const std::string& url,
                    std::vector<Entry>& entries) {
  const auto pinned = pinned_of(request.components.value_or(std::vector<creator::Token>()));
  for (const creator::Selected& each : plan.selection.components) {
    const domain::Component& component = *each.component;
    if (each.version->held) entries.push_back(held_entry(site, component, *each.version));
    const bool is_pinned = pinned.contains(component.slug.view());
    for (const domain::ComponentVersion* version :
         news_of(component.versions, each.version->version.view(), is_pinned)) {
      const auto time = version->released_at ? version->released_at : version->mirrored_at;
      if (version->held || !time) continue;
      entries.push_back({version_id(site, component, *version),
                         is_pinned ? url : component_url(site, component),
                         component.name + " " + version->version.str(), "",
                         summary(tr(component.description)), *time});
    }
  }
}

void add_plugins(Services& services, const creator::Plan& plan,
                 const creator::SelectionRequest& request, std::vector<Entry>& entries) {
  const auto pinned = pinned_of(request.plugins);
  for (const creator::RequestedPlugin& each : plan.requested) {
    const auto slug = domain::Slug::parse(each.slug);
    const auto plugin = slug ? services.plugins.find(*slug) : std::nullopt;
    if (!plugin || plugin->versions.empty()) continue;
    for (const domain::PluginVersion* version :
         news_of(plugin->versions, each.version, pinned.contains(each.slug))) {
      entries.push_back(plugin_entry(services.site, *plugin, *version));
    }
  }
}

void add_start(const Site& site, const creator::Plan& plan, const db::BuildStart& start,
               std::vector<Entry>& entries) {
  const bool has_started = start.outcome == "started";
  if (has_started && start.plays != "faulty") return;
  const std::string url =
      site.link(plan.download_query.empty() ? "/server" : "/server?" + plan.download_query);
  entries.push_back({site.absolute("/server") + "#build-" + plan.build_hash + "-" +
                         (has_started ? "plays" : start.outcome),
                     url,
                     start.outcome == "failed" ? tr("This server does not start")
                     : has_started             ? tr("Not all of this server plays")
                                               : tr("Not all of this server runs"),
                     "", start.messages.empty() ? "" : summary(start.messages.front()), start.at});
}

}  // namespace

web::Response plugins_feed(Services& services, const Call&) {
  const Site& site = services.site;
  std::vector<Entry> entries;
  const auto versions = services.plugins.newest_versions(kEntries, db::PluginStore::LatestOnly::no);
  for (const db::VersionNews& version : versions) {
    const std::string path = plugin_path(version.slug);
    const std::string place = fragment(version.version);
    entries.push_back({site.absolute(path) + place, site.link(path) + place,
                       version.name + " " + version.version.str(), version.author,
                       category_text(version.category), version.created_at});
  }
  return feed(site, "/feeds/plugins.atom", "/plugins", tr("New plugin versions"), entries);
}

web::Response plugin_feed(Services& services, const Call& call) {
  const Site& site = services.site;
  std::string_view name = call.path.front();
  constexpr std::string_view kSuffix = ".atom";
  if (!name.ends_with(kSuffix)) return site.not_found();
  name.remove_suffix(kSuffix.size());
  const auto slug = domain::Slug::parse(name);
  const auto plugin = slug ? services.plugins.find(*slug) : std::nullopt;
  if (!plugin) return site.not_found();
  std::vector<Entry> entries;
  for (const domain::PluginVersion& version : plugin->versions) {
    if (entries.size() == kEntries) break;
    entries.push_back(plugin_entry(site, *plugin, version));
  }
  return feed(site, feed_path(*slug), plugin_path(*slug), plugin->name, entries);
}

web::Response components_feed(Services& services, const Call&) {
  const Site& site = services.site;
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  std::vector<Entry> entries;
  for (const domain::Component& component : catalog->components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (version.released_at) {
        entries.push_back({version_id(site, component, version), component_url(site, component),
                           component.name + " " + version.version.str(), "",
                           summary(tr(component.description)), *version.released_at});
      }
      if (version.held) entries.push_back(held_entry(site, component, version));
    }
  }
  sort_and_cut(entries);
  return feed(site, "/feeds/components.atom", "/server", tr("New component versions"), entries);
}

web::Response server_feed(Services& services, const Call& call) {
  if (!services.gate.api_is_enabled()) return services.errors.make(domain::Error::api_disabled);
  const auto use = [&](const creator::Plan& plan) {
    const Site& site = services.site;
    const creator::SelectionRequest request = selection_of(call.query, plan);
    const auto archive = services.digests.find_archive(plan.build_hash);
    std::vector<Entry> entries;
    add_components(site, plan, request, comparison_url(site, request, plan), entries);
    add_plugins(services, plan, request, entries);
    if (archive.start) add_start(site, plan, *archive.start, entries);
    sort_and_cut(entries);
    const std::string query = creator::request_query(request);
    const std::string tail = query.empty() ? "" : "?" + query;
    web::Response response =
        feed(site, "/feeds/server.atom" + tail, "/server" + tail, tr("News of a server"), entries);
    response.is_provisional = !archive.start;
    return response;
  };
  return answer(services, call, plan_of(services, call), without_body(kAtom), use);
}

}  // namespace goldsmith::handlers::pages
