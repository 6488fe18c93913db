#include "handlers/pages/cards.hpp"

#include <algorithm>
#include <utility>

#include "handlers/pages/format.hpp"
#include "handlers/pages/plugin_compiles.hpp"

namespace goldsmith::handlers::pages {
namespace {

json::Object plugin_card(const domain::PluginSummary& plugin) {
  return {{"url", plugin_path(plugin.slug)},
          {"slug", plugin.slug},
          {"name", plugin.name},
          {"category", plugin.category},
          {"author", plugin.author},
          {"author_url", author_path(plugin.author)},
          {"license", plugin.license},
          {"summary", plugin.summary},
          {"version", plugin.latest_version ? plugin.latest_version->view() : ""},
          {"rating", plugin.rating.count > 0 ? json::to_string(plugin.rating.average()) : ""},
          {"rating_text", rating_text(plugin.rating)},
          {"downloads", counted(plugin.downloads, "download", "downloads")},
          {"date", date(plugin.updated_at)},
          {"time", iso_time(plugin.updated_at)}};
}

}  // namespace

std::string rating_text(const domain::Rating& rating) {
  if (rating.count == 0) return "";
  return json::to_string(rating.average()) + " of 5 (" +
         counted(rating.count, "rating", "ratings") + ")";
}

json::Array plugin_cards(Services& services, const std::vector<domain::PluginSummary>& plugins) {
  std::vector<domain::Slug> slugs;
  for (const domain::PluginSummary& plugin : plugins) slugs.push_back(plugin.slug);
  const auto owners = services.catalog.module_owners(services.freshness.epoch());
  const views::CompileContext context{services.compile_stack.watch.fingerprints(), *owners};
  const auto newest = services.plugins.newest_verdicts(slugs);
  json::Array cards;
  for (const domain::PluginSummary& plugin : plugins) {
    json::Object card = plugin_card(plugin);
    if (const auto found = newest.find(plugin.slug); found != newest.end()) {
      const domain::PluginVersion& version = found->second.version;
      card["fits"] = json::Object{{"works_with", works_with_text(version, context.fingerprints)},
                                  {"is_hopeless", is_hopeless(version, context.fingerprints)},
                                  {"needs", needs_text(version, context)}};
    }
    cards.emplace_back(std::move(card));
  }
  return cards;
}

json::Object addon_card(const domain::AddonSummary& addon) {
  return {{"url", addon_path(addon.slug)},
          {"slug", addon.slug},
          {"name", addon.name},
          {"description", addon.description},
          {"plugins", counted(addon.plugin_count, "plugin", "plugins")},
          {"downloads", counted(addon.downloads, "download", "downloads")}};
}

json::Object paging(const views::Page& page, std::int64_t total, const std::string& address) {
  const std::int64_t last = std::max<std::int64_t>(1, page.count(total));
  const auto url = [&](std::int64_t number) {
    return address + "page_n=" + std::to_string(number);
  };
  json::Object object{{"page", grouped(page.number)}, {"pages", grouped(last)}};
  object["several"] = last > 1 || page.number > 1;
  if (page.number > 1) object["previous"] = url(std::min(page.number - 1, last));
  if (page.number < last) object["next"] = url(page.number + 1);
  return object;
}

}  // namespace goldsmith::handlers::pages
