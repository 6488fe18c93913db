#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/plugin_detail.hpp"

namespace goldsmith::handlers::pages {
namespace {

using Newest = std::map<domain::Slug, db::PublishedVersion>;

// What downloads the plugin, unless that is known to fail.
void add_download(const domain::Slug& slug, const db::PublishedVersion& newest,
                  const views::Fingerprints& fingerprints, json::Object& card) {
  const std::string line = working_line(newest.version, newest.toolchain, fingerprints);
  if (line.empty()) return;
  const bool is_own = line == newest.toolchain;
  card["install_url"] = download_path(slug, newest.version.version, "amxx") +
                        (is_own ? std::string() : "&amxx=" + line);
  card["other_line"] = is_own ? "" : line;
}

// In the order in which they are to be installed; one without a version has nothing to install.
json::Array plugins_of(Services& services, const domain::AddonDetail& addon, const Newest& newest) {
  json::Array plugins;
  auto plugin = addon.plugins.begin();
  for (json::Value& value : plugin_cards(services, addon.plugins)) {
    json::Object card = *value.as_object();
    if (const auto found = newest.find(plugin->slug); found != newest.end()) {
      add_download(plugin->slug, found->second, services.compile_service.watch.fingerprints(),
                   card);
    }
    plugins.emplace_back(std::move(card));
    ++plugin;
  }
  return plugins;
}

// The plugins that work on some AMX Mod X of a server; the creator's limit is far above any pack.
std::vector<std::string> slugs_of(const domain::AddonDetail& addon, const Newest& newest,
                                  const views::Fingerprints& fingerprints,
                                  const domain::Catalog& catalog) {
  std::vector<std::string> slugs;
  for (const domain::PluginSummary& plugin : addon.plugins) {
    const auto found = newest.find(plugin.slug);
    if (found == newest.end()) continue;
    if (platform_for({&found->second.version}, fingerprints, catalog) == nullptr) continue;
    slugs.push_back(plugin.slug.str());
  }
  return slugs;
}

std::string server_url(const std::vector<std::string>& slugs, const std::string& server) {
  const std::string query = creator::pack_query(slugs, server);
  return query.empty() ? "" : "/server?" + query;
}

Newest newest_of(Services& services, const domain::AddonDetail& addon) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : addon.plugins) slugs.push_back(plugin.slug);
  return services.plugins.newest_verdicts(slugs);
}

std::string missing_text(std::int64_t count) {
  if (count <= 0) return "";
  return tr_plural("{n} plugin of the pack is not published at the moment.",
                   "{n} plugins of the pack are not published at the moment.", count);
}

json::Object schema_of(const Site& site, const domain::AddonSummary& pack) {
  json::Object schema = site.software_schema(pack.name, addon_path(pack.slug));
  schema["description"] = pack.description;
  return schema;
}

}  // namespace

json::Array preset_links(Services& services, const domain::Catalog& catalog) {
  constexpr std::int64_t kMost = 12;
  json::Array links;
  for (const domain::AddonPack& preset : services.addons.presets(kMost)) {
    const web::Query server(preset.server, kCreatorParameters);
    if (!read_choice(server, catalog).warnings.empty()) continue;
    const std::vector<std::string> slugs(preset.plugins.begin(), preset.plugins.end());
    links.emplace_back(json::Object{{"name", preset.name},
                                    {"description", summary(preset.description)},
                                    {"url", server_url(slugs, preset.server)}});
  }
  return links;
}

web::Response addons_page(Services& services, const Call& call) {
  const views::Page page{call.query.integer("page_n", 1, 1, 100'000), 24};
  const db::AddonPage found = services.addons.list(page.offset(), page.size);
  const std::string path =
      page.number > 1 ? "/addons?page_n=" + std::to_string(page.number) : "/addons";
  web::Response response = services.site.page(
      "addons",
      {.title = tr("Addon packs"),
       .description = tr("Plugins that work well together, in installation order."),
       .path = path,
       .section = "addons"},
      {{"is_empty", found.addons.empty()},
       {"packs", json::array_of(found.addons, addon_card)},
       {"total", tr_plural("{n} pack", "{n} packs", found.total)},
       {"paging", paging(page, found.total, "/addons?")}});
  response.is_provisional = true;  // its counters and its order
  return response;
}

web::Response addon_page(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto addon = slug ? services.addons.find(*slug) : std::nullopt;
  if (!addon) return services.site.not_found();
  const domain::AddonSummary& pack = addon->summary;
  const Newest newest = newest_of(services, *addon);
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  const std::vector<std::string> slugs =
      slugs_of(*addon, newest, services.compile_service.watch.fingerprints(), *catalog);
  const auto missing = pack.plugin_count - static_cast<std::int64_t>(addon->plugins.size());
  return services.site.page("addon",
                            {.title = pack.name,
                             .description = pack.description,
                             .path = addon_path(pack.slug),
                             .section = "addons",
                             .json_ld = schema_of(services.site, pack)},
                            {{"name", pack.name},
                             {"description", pack.description},
                             {"downloads", counted_downloads(pack.downloads)},
                             {"date", date(pack.created_at)},
                             {"time", iso_time(pack.created_at)},
                             {"is_empty", addon->plugins.empty()},
                             {"plugins", plugins_of(services, *addon, newest)},
                             {"missing", missing_text(missing)},
                             {"server_url", server_url(slugs, pack.server)},
                             {"is_preset", !pack.server.empty()},
                             {"slugs", base::join(slugs, ",")},
                             {"json_url", "/v1" + addon_path(pack.slug)}});
}

}  // namespace goldsmith::handlers::pages
