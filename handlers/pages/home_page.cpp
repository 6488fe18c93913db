#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {

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

}  // namespace goldsmith::handlers::pages
