#include "handlers/pages/standard_pages.hpp"

#include <algorithm>
#include <chrono>

#include "handlers/pages/format.hpp"

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

}  // namespace

http::Response StandardPages::asset_named(std::string_view version, std::string_view name) const {
  const http::Response* found = dependencies_.site.assets().find(version, name);
  return found == nullptr ? dependencies_.site.not_found() : *found;
}

http::Response StandardPages::asset(const Call& call) {
  return asset_named(call.path[0], call.path[1]);
}

http::Response StandardPages::docs(const Call&) {
  return dependencies_.site.page("docs",
                                 {.title = "Developer reference",
                                  .description = "The API: examples, endpoints, errors and limits.",
                                  .path = "/docs",
                                  .section = "docs",
                                  .script = "docs.js"},
                                 {});
}

http::Response StandardPages::client_types(const Call&) { return asset_named("", "api.d.ts"); }

http::Response StandardPages::examples(const Call&) {
  http::Response response = dependencies_.site.error(308, "Moved", "The examples are at /docs.");
  response.set_header("Location", "/docs#clients");
  return response;
}

// The examples are the only assets with these extensions.
http::Response StandardPages::example(const Call& call) {
  const std::string& name = call.path[0];
  const bool is_example = name.ends_with(".py") || name.ends_with(".php");
  return is_example ? asset_named("", name) : dependencies_.site.not_found();
}

http::Response StandardPages::style_sheet(const Call&) { return asset_named("", "style.css"); }

http::Response StandardPages::icon(const Call&) { return asset_named("", "favicon.svg"); }

http::Response StandardPages::robots(const Call&) {
  return dependencies_.site.document("robots", kPlainText, {});
}

http::Response StandardPages::sitemap_index(std::int64_t parts) const {
  const Site& site = dependencies_.site;
  json::Array entries;
  for (std::int64_t number = 1; number <= parts; ++number) {
    entries.push_back(
        sitemap_entry(site.absolute("/sitemap.xml?page_n=" + std::to_string(number))));
  }
  return site.document("sitemap_index", kXml, {{"entries", std::move(entries)}});
}

http::Response StandardPages::sitemap(const Call& call) {
  const Site& site = dependencies_.site;
  const std::int64_t part = call.query.integer("page_n", 0, 0, 100'000);
  const auto totals = dependencies_.index.totals(dependencies_.freshness.epoch());
  const std::int64_t parts = (totals.plugins + kSitemapPlugins - 1) / kSitemapPlugins;
  if (part == 0 && parts > 1) return sitemap_index(parts);

  json::Array entries;
  if (part <= 1) {
    for (const char* path : {"/", "/plugins", "/addons", "/server", "/docs", "/licenses"}) {
      entries.push_back(sitemap_entry(site.absolute(path)));
    }
    for (const auto& addon : dependencies_.addons.list(0, kSitemapPacks).addons) {
      entries.push_back(sitemap_entry(site.absolute(addon_path(addon.slug))));
    }
  }
  const std::int64_t first = std::max<std::int64_t>(0, part - 1) * kSitemapPlugins;
  for (const auto& [slug, time] : dependencies_.plugins.published_slugs(first, kSitemapPlugins)) {
    entries.push_back(sitemap_entry(site.absolute(plugin_path(slug)), iso_time(time)));
  }
  return site.document("sitemap", kXml, {{"entries", std::move(entries)}});
}

// `Expires` must be less than a year away: it moves with each month.
http::Response StandardPages::security(const Call&) {
  const Site& site = dependencies_.site;
  if (site.config().contact.empty()) return site.not_found();
  const std::chrono::year_month_day today{
      std::chrono::floor<std::chrono::days>(dependencies_.clock.now())};
  const auto expires = today.year() / today.month() / 1 + std::chrono::months(7);
  return site.document("security", kPlainText,
                       {{"expires", iso_time(domain::Timestamp(std::chrono::sys_days(expires)))}});
}

http::Response StandardPages::security_policy(const Call&) {
  return asset_named("", "SECURITY.md");
}

http::Response StandardPages::search_description(const Call&) {
  return dependencies_.site.document("opensearch", "application/opensearchdescription+xml", {});
}

}  // namespace goldsmith::handlers::pages
