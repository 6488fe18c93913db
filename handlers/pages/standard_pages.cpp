#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
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

namespace {

constexpr std::int64_t kOnHomePage = 6;

// The plugins of the newest versions, with the date of the version.
json::Array newest_cards(Services& services, std::uint64_t epoch) {
  std::vector<domain::PluginSummary> plugins;
  std::vector<domain::Timestamp> times;
  for (const db::VersionNews& news :
       services.plugins.newest_versions(kOnHomePage, db::PluginStore::LatestOnly::yes)) {
    if (auto plugin = services.index.summary(news.slug, epoch)) {
      plugins.push_back(*std::move(plugin));
      times.push_back(news.created_at);
    }
  }
  json::Array cards;
  auto time = times.begin();
  for (json::Value& value : plugin_cards(services, plugins)) {
    json::Object card = *value.as_object();
    card["released"] = json::Object{{"date", date(*time)}, {"time", iso_time(*time)}};
    cards.emplace_back(std::move(card));
    ++time;
  }
  return cards;
}

json::Array components_of(const creator::Selection& selection, domain::Layer layer) {
  json::Array components;
  for (const creator::Selected& selected : selection.components) {
    const domain::Component& component = *selected.component;
    if (component.layer != layer) continue;
    components.push_back(
        json::Object{{"name", component.title()}, {"version", selected.version->version}});
  }
  return components;
}

json::Array layers_of(const creator::Selection& selection) {
  json::Array layers;
  for (const domain::LayerInfo& layer : domain::layers()) {
    json::Array components = components_of(selection, layer.layer);
    if (components.empty()) continue;
    layers.push_back(
        json::Object{{"label", tr(layer.label)}, {"components", std::move(components)}});
  }
  return layers;
}

constexpr std::size_t kLongestExample = 600;  // bytes

// The files that no project ships: what the service adds to its components. Each leads to its text;
// the first shows it, if it is short, to tell what they are like.
json::Array generated_files(const creator::Plan& plan) {
  json::Array files;
  for (const creator::PlannedFile& file : plan.files) {
    if (file.origin != creator::Origin::generated) continue;
    const auto* const text = std::get_if<std::string>(&file.source);
    const bool is_example = files.empty() && text != nullptr && text->size() <= kLongestExample;
    files.push_back(
        json::Object{{"path", file.path},
                     {"url", "/server?file=" + base::percent_encode(file.path, "/") + "#preview"},
                     {"size", readable_size(file.size)},
                     {"text", is_example ? *text : std::string()}});
  }
  return files;
}

// Adds the recommended server, or why there is none. Its plan is kept until the catalog changes.
void add_server(Services& services, json::Object& model) {
  const creator::Resolved resolved =
      services.builds.resolve({}, std::nullopt, services.freshness.epoch());
  const auto* const found = std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved);
  if (found == nullptr) {
    model["is_invalid"] = !std::holds_alternative<creator::EmptySelection>(resolved);
    return;
  }
  const creator::Plan& plan = (*found)->plan;
  json::Array files = generated_files(plan);
  const std::size_t others = plan.files.size() - files.size();
  model["server"] = json::Object{{"layers", layers_of(plan.selection)},
                                 {"absences", tr(plan.selection.absences)},
                                 {"size", readable_size(plan.total_bytes)},
                                 {"file_count", counted_files(plan.files.size())},
                                 {"has_files", !files.empty()},
                                 {"files", std::move(files)},
                                 {"others", counted_files(others)}};
}

}  // namespace

web::Response home_page(Services& services, const Call&) {
  const std::uint64_t epoch = services.freshness.epoch();
  const db::PluginPage popular = services.index.page({}, 0, kOnHomePage, epoch);
  const directory::PluginIndex::Totals totals = services.index.totals(epoch);
  const db::AddonPage packs = services.addons.list(0, kOnHomePage);
  const Site& site = services.site;
  const json::Object schema{{"@context", "https://schema.org"},
                            {"@type", "WebSite"},
                            {"name", site.config().name},
                            {"url", site.absolute("/")},
                            {"description", site.config().tagline}};
  json::Object model{
      {"popular", plugin_cards(services, popular.plugins)},
      {"newest", newest_cards(services, epoch)},
      {"packs", json::array_of(packs.addons, addon_card)},
      {"plugin_count", grouped(totals.plugins)},
      {"search_label", tr_plural("Search {n} plugin", "Search {n} plugins", totals.plugins)},
      {"download_count", grouped(totals.downloads)},
      {"pack_count", grouped(packs.total)}};
  add_server(services, model);
  return site.page("home",
                   {.title = "",
                    .path = "/",
                    .feed = "/feeds/plugins.atom",
                    .script = "start.js",
                    .json_ld = schema},
                   std::move(model));
}

namespace {

json::Array toolchains_of(const compile::Toolchains& toolchains) {
  return json::array_of(domain::toolchain_lines(), [&](const std::string& line) {
    return json::Object{{"line", line}, {"installed", toolchains.find(line).has_value()}};
  });
}

std::string verification_label(domain::Verification verification) {
  switch (verification) {
    case domain::Verification::digest:
      return tr_context("verified by", "digest");
    case domain::Verification::signature:
      return tr_context("verified by", "signature");
    case domain::Verification::none:
      break;
  }
  return tr_context("verified by", "no digest");
}

json::Array components_of(const domain::Catalog& catalog) {
  json::Array array;
  for (const domain::Component& component : catalog.components()) {
    const domain::ComponentVersion* latest = component.latest();
    if (latest == nullptr) continue;
    json::Object object{{"name", component.name},
                        {"layer", tr(domain::info(component.layer).label)},
                        {"version", latest->version},
                        {"verified", verification_label(latest->verified)}};
    if (latest->released_at) object["released"] = date(*latest->released_at);
    if (latest->mirrored_at) object["mirrored"] = date(*latest->mirrored_at);
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace

web::Response status_page(Services& services, const Call&) {
  const limits::Settings settings = limits::make_settings(services.settings.load());
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  web::Response response =
      services.site.page("status",
                         {.title = tr("Status"),
                          .description = tr("What works at the moment."),
                          .path = "/status",
                          .section = "status",
                          .feed = "/feeds/components.atom"},
                         {{"api_enabled", settings.api_enabled},
                          {"keyless", settings.keyless_access},
                          {"per_minute", grouped(settings.anonymous_per_minute)},
                          {"per_day", grouped(settings.anonymous_per_day)},
                          {"compiles", grouped(settings.compiles_per_hour)},
                          {"builds", grouped(settings.builds_per_hour)},
                          {"toolchains", toolchains_of(services.compile_service.toolchains)},
                          {"components", components_of(*catalog)}});
  response.is_provisional = true;  // toolchains are files that change unseen
  return response;
}

}  // namespace goldsmith::handlers::pages
