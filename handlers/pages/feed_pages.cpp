#include <algorithm>

#include "app/base/text.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::size_t kEntries = 50;

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
  return site.document("feed", "application/atom+xml; charset=utf-8",
                       {{"feed_url", site.absolute(path)},
                        {"about_url", site.absolute(about)},
                        {"title", title},
                        {"updated", iso_time(updated)},
                        {"entries", json::array_of(entries, entry_json)}});
}

}  // namespace

web::Response plugins_feed(Services& services, const Call&) {
  const Site& site = services.site;
  std::vector<Entry> entries;
  const auto versions = services.plugins.newest_versions(kEntries, db::PluginStore::LatestOnly::no);
  for (const db::VersionNews& version : versions) {
    const std::string url = site.absolute(plugin_path(version.slug)) + fragment(version.version);
    entries.push_back({url, url, version.name + " " + version.version.str(), version.author,
                       "Category: " + version.category.str(), version.created_at});
  }
  return feed(site, "/feeds/plugins.atom", "/plugins", "New plugin versions", entries);
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
    const std::string url = site.absolute(plugin_path(*slug)) + fragment(version.version);
    entries.push_back({url, url, plugin->name + " " + version.version.str(), plugin->author,
                       "Category: " + plugin->category.str(),
                       version.created_at.value_or(plugin->updated_at)});
  }
  return feed(site, feed_path(*slug), plugin_path(*slug), plugin->name, entries);
}

web::Response components_feed(Services& services, const Call&) {
  const Site& site = services.site;
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  std::vector<Entry> entries;
  for (const domain::Component& component : catalog->components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      const std::string url = site.absolute("/server") + "#component-" + component.slug.str();
      const std::string id = url + "-" + base::percent_encode(version.version);
      const std::string title = component.name + " " + version.version.str();
      if (version.released_at) {
        entries.push_back(
            {id, url, title, "", summary(component.description), *version.released_at});
      }
      if (const auto& held = version.held) {
        entries.push_back({id + "-held", url, title + " is held", "", held->reason, held->at});
      }
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& left, const Entry& right) { return left.time > right.time; });
  entries.resize(std::min(entries.size(), kEntries));
  return feed(site, "/feeds/components.atom", "/server", "New component versions", entries);
}

}  // namespace goldsmith::handlers::pages
