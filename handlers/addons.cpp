#include "handlers/addons.hpp"

#include "app/domain/names.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {

http::Response list_addons(const Call& call) {
  const views::Urls urls(call.services.config);
  const views::Page page = views::read_page(call.request.query);
  const db::AddonPage found = call.services.addons.list(page.offset(), page.size);
  json::Array items;
  for (const domain::AddonSummary& addon : found.addons) {
    items.push_back(views::addon_summary(addon, urls));
  }
  return http::json_ok(views::page_json(page, found.total, "addons", std::move(items)));
}

http::Response show_addon(const Call& call) {
  const views::Urls urls(call.services.config);
  const std::string& slug = call.path.front();
  const auto addon = domain::is_slug(slug) ? call.services.addons.find(slug) : std::nullopt;
  if (!addon) return error(call.services, http::Error::not_found);
  return http::json_ok({{"addon", views::addon_detail(*addon, urls)}});
}

}  // namespace goldsmith::handlers
