#include "handlers/addons.hpp"

#include "handlers/views/paging.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers {

http::Response AddonHandlers::list(const Call& call) {
  const views::Page page = views::read_page(call.query);
  const db::AddonPage found = addons_.list(page.offset(), page.size);
  json::Array items;
  for (const domain::AddonSummary& addon : found.addons) {
    items.push_back(views::addon_summary(addon, urls_));
  }
  auto response = http::json_ok(views::page_json(page, found.total, "addons", std::move(items)));
  response.is_provisional = true;  // its counters and its order
  return response;
}

http::Response AddonHandlers::show(const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto addon = slug ? addons_.find(*slug) : std::nullopt;
  if (!addon) return errors_.make(http::Error::not_found);
  return http::json_ok({{"addon", views::addon_detail(*addon, urls_)}});
}

}  // namespace goldsmith::handlers
