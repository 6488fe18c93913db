#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/plugin.hpp"
#include "app/limits/gate.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {

namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
constexpr std::string_view kXml = "application/xml; charset=utf-8";

// Above this the sitemap is an index of parts. It could have 50,000 addresses; these take less
// time.
constexpr std::int64_t kSitemapPlugins = 10'000;
constexpr std::int64_t kSitemapPacks = 1'000;

json::Object sitemap_entry(const std::string& url, const std::string& time = "") {
  return {{"url", url}, {"time", time}};
}

web::Response asset_named(const Site& site, std::string_view version, std::string_view name) {
  auto found = site.assets().find(version, name);
  return found ? std::move(*found) : site.not_found();
}

// Equal files give equal bytes.
std::string zip_of_includes(const compile::Toolchain& toolchain) {
  std::vector<archive::MemoryFile> files;
  for (const auto& [name, file] : compile::includes(toolchain)) {
    files.push_back({"include/" + name, base::read_file(file), false});
  }
  return archive::zip_in_memory(files);
}

web::Response sitemap_index(const Site& site, std::int64_t parts) {
  json::Array entries;
  for (std::int64_t number = 1; number <= parts; ++number) {
    entries.push_back(sitemap_entry(site.link("/sitemap.xml?page_n=" + std::to_string(number))));
  }
  return site.document("sitemap_index", kXml, {{"entries", std::move(entries)}});
}

}  // namespace

web::Response asset(Services& services, const Call& call) {
  return asset_named(services.site, call.path[0], call.path[1]);
}

web::Response docs_page(Services& services, const Call&) {
  return services.site.page("docs",
                            {.title = tr("Developer reference"),
                             .description = tr("The API: examples, endpoints, errors and limits."),
                             .path = "/docs",
                             .section = "docs",
                             .script = "docs.js",
                             .is_english = true},
                            {});
}

web::Response existing_page(Services& services, const Call&) {
  return services.site.page(
      "existing",
      {.title = tr("A server that exists already"),
       .description =
           tr("What is in the folder of a Counter-Strike 1.6 server: components, plugins "
              "and their versions. It is read in the browser; nothing of it is sent."),
       .path = "/server/existing",
       .section = "server",
       .script = "existing.js"},
      {});
}

web::Response client_types(Services& services, const Call&) {
  return asset_named(services.site, "", "api.d.ts");
}

web::Response examples(Services& services, const Call&) {
  web::Response response = services.site.error(308, tr("Moved"), tr("The examples are at /docs."));
  response.set_header("Location", "/docs#clients");
  return response;
}

// The examples are the only assets with these extensions.
web::Response example(Services& services, const Call& call) {
  const std::string& name = call.path[0];
  const bool is_example = name.ends_with(".py") || name.ends_with(".php");
  return is_example ? asset_named(services.site, "", name) : services.site.not_found();
}

web::Response style_sheet(Services& services, const Call&) {
  return asset_named(services.site, "", "style.css");
}

web::Response icon(Services& services, const Call&) {
  return asset_named(services.site, "", "favicon.svg");
}

web::Response robots(Services& services, const Call&) {
  // Each language has a sitemap of its own: one with all of them would be as many times as large.
  return services.site.document(
      "robots", kPlainText, {{"languages", json::array_of(languages(), [](const Language& each) {
                                return json::Object{{"tag", each.tag()}};
                              })}});
}

web::Response sitemap(Services& services, const Call& call) {
  const Site& site = services.site;
  const std::int64_t part = call.query.integer("page_n", 0, 0, 100'000);
  const auto totals = services.index.totals(services.freshness.epoch());
  const std::int64_t parts = (totals.plugins + kSitemapPlugins - 1) / kSitemapPlugins;
  if (part == 0 && parts > 1) return sitemap_index(site, parts);

  json::Array entries;
  if (part <= 1) {
    for (const char* path : {"/", "/plugins", "/addons", "/server", "/server/existing", "/log",
                             "/names", "/docs", "/licenses"}) {
      entries.push_back(sitemap_entry(site.link(path)));
    }
    for (const auto& addon : services.addons.list(0, kSitemapPacks).addons) {
      entries.push_back(sitemap_entry(site.link(addon_path(addon.slug))));
    }
  }
  const std::int64_t first = std::max<std::int64_t>(0, part - 1) * kSitemapPlugins;
  for (const auto& [slug, time] : services.plugins.published_slugs(first, kSitemapPlugins)) {
    entries.push_back(sitemap_entry(site.link(plugin_path(slug)), iso_time(time)));
  }
  return site.document("sitemap", kXml, {{"entries", std::move(entries)}});
}

// `Expires` must be less than a year away: it moves with each month.
web::Response security(Services& services, const Call&) {
  const Site& site = services.site;
  if (site.config().contact.empty()) return site.not_found();
  const std::chrono::year_month_day today{
      std::chrono::floor<std::chrono::days>(services.clock.now())};
  const auto expires = today.year() / today.month() / 1 + std::chrono::months(7);
  return site.document("security", kPlainText,
                       {{"expires", iso_time(domain::Timestamp(std::chrono::sys_days(expires)))}});
}

web::Response security_policy(Services& services, const Call&) {
  return asset_named(services.site, "", "SECURITY.md");
}

web::Response search_description(Services& services, const Call&) {
  return services.site.document("opensearch", "application/opensearchdescription+xml", {});
}

web::Response toolchain_includes(Services& services, const Call& call) {
  const compile::Toolchains& toolchains = services.compile_service.toolchains;
  const auto toolchain = toolchains.find(call.path.front());
  if (!toolchain) return services.site.not_found();
  const std::string fingerprint = toolchains.fingerprint(*toolchain);
  web::Response response;
  response.is_taggable = true;
  response.body = zip_of_includes(*toolchain);
  response.set_header("Content-Type", "application/zip");
  response.set_header("Content-Disposition",
                      web::attachment("amxmodx-" + toolchain->line + "-includes.zip"));
  response.set_header("Cache-Control", "no-cache");
  response.set_header("ETag", "\"" + fingerprint + "\"");
  response.set_header("Vary", "Accept-Encoding");  // compressed as it is
  return response;
}

}  // namespace goldsmith::handlers::pages
