#include "app/sys/text.hpp"
#include "handlers/pages/cards.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {
namespace {

// In the order in which they are to be installed; one without a version has nothing to install.
json::Array plugins_of(Services& services, const domain::AddonDetail& addon) {
  json::Array plugins;
  auto plugin = addon.plugins.begin();
  for (json::Value& value : plugin_cards(services, addon.plugins)) {
    json::Object card = *value.as_object();
    card["install_url"] =
        plugin->latest_version ? download_path(plugin->slug, *plugin->latest_version, "amxx") : "";
    plugins.emplace_back(std::move(card));
    ++plugin;
  }
  return plugins;
}

// Those that a server can have, separated by commas; the creator's limit is far above any pack.
std::string slugs_of(const domain::AddonDetail& addon) {
  std::string slugs;
  for (const domain::PluginSummary& plugin : addon.plugins) {
    if (!plugin.latest_version) continue;
    slugs.append(slugs.empty() ? "" : ",").append(plugin.slug.view());
  }
  return slugs;
}

std::string server_url(const std::string& slugs) {
  return slugs.empty() ? "" : "/server?plugins=" + sys::percent_encode(slugs, ",");
}

json::Object schema_of(const Site& site, const domain::AddonSummary& pack) {
  json::Object schema = site.software_schema(pack.name, addon_path(pack.slug));
  schema["description"] = pack.description;
  return schema;
}

}  // namespace

http::Response addons_page(Services& services, const Call& call) {
  const views::Page page{call.query.integer("page_n", 1, 1, 100'000), 24};
  const db::AddonPage found = services.addons.list(page.offset(), page.size);
  const std::string path =
      page.number > 1 ? "/addons?page_n=" + std::to_string(page.number) : "/addons";
  http::Response response =
      services.site.page("addons",
                         {.title = "Addon packs",
                          .description = "Plugins that work well together, in installation order.",
                          .path = path,
                          .section = "addons"},
                         {{"is_empty", found.addons.empty()},
                          {"packs", json::array_of(found.addons, addon_card)},
                          {"total", counted(found.total, "pack", "packs")},
                          {"paging", paging(page, found.total, "/addons?")}});
  response.is_provisional = true;  // its counters and its order
  return response;
}

http::Response addon_page(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto addon = slug ? services.addons.find(*slug) : std::nullopt;
  if (!addon) return services.site.not_found();
  const domain::AddonSummary& pack = addon->summary;
  const std::string slugs = slugs_of(*addon);
  const auto missing = pack.plugin_count - static_cast<std::int64_t>(addon->plugins.size());
  return services.site.page("addon",
                            {.title = pack.name,
                             .description = pack.description,
                             .path = addon_path(pack.slug),
                             .section = "addons",
                             .json_ld = schema_of(services.site, pack)},
                            {{"name", pack.name},
                             {"description", pack.description},
                             {"downloads", counted(pack.downloads, "download", "downloads")},
                             {"date", date(pack.created_at)},
                             {"time", iso_time(pack.created_at)},
                             {"is_empty", addon->plugins.empty()},
                             {"plugins", plugins_of(services, *addon)},
                             {"missing", missing > 0 ? counted(missing, "plugin", "plugins") : ""},
                             {"server_url", server_url(slugs)},
                             {"slugs", slugs},
                             {"json_url", "/v1" + addon_path(pack.slug)}});
}

}  // namespace goldsmith::handlers::pages
