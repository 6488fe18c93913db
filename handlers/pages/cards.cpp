#include "handlers/pages/cards.hpp"

#include <algorithm>

#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {

std::string rating_text(const domain::Rating& rating) {
  if (rating.count == 0) return "";
  return json::to_string(rating.average()) + " of 5 (" +
         counted(rating.count, "rating", "ratings") + ")";
}

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

json::Object news_card(const db::VersionNews& version) {
  return {{"url", plugin_path(version.slug)},
          {"slug", version.slug},
          {"name", version.name},
          {"category", version.category},
          {"author", version.author},
          {"author_url", author_path(version.author)},
          {"version", version.version},
          {"date", date(version.created_at)},
          {"time", iso_time(version.created_at)}};
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
