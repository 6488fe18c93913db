#include "handlers/directory.hpp"

#include <algorithm>
#include <utility>

#include "app/base/text.hpp"
#include "app/directory/packed_index.hpp"
#include "app/domain/names.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/routes.hpp"
#include "handlers/views/plugin_view.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

namespace {

json::Object endpoint_map() {
  json::Object endpoints;
  for (const Route& route : routes()) endpoints[std::string(route.name)] = route.path;
  return endpoints;
}

json::Object category_json(const domain::CategoryCount& item) {
  return {{"category", item.category}, {"count", item.count}};
}

constexpr std::size_t kSearchCodePoints = 100;

// The part of a text to search for that counts (decision R6); std::nullopt if it can match nothing:
// bytes that are not UTF-8, and control characters, which no text about a plugin holds (decision
// R4).
std::optional<std::string_view> wanted(std::string_view text) {
  if (!domain::is_utf8(text)) return std::nullopt;
  const auto start = base::first_code_points(base::trim(text), kSearchCodePoints);
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  if (std::any_of(start.begin(), start.end(), is_control)) return std::nullopt;
  return start;
}

}  // namespace

web::Response show_meta(Services& services, const Call& call) {
  const auto& lines = domain::toolchain_lines();
  const limits::Caller& caller = call.caller;
  web::Response response = web::json_ok(
      {{"api_version", "v1"},
       {"auth", caller.tier()},
       {"authenticated", !caller.anonymous()},
       {"scopes", json::array_of(caller.scopes, limits::to_string)},
       {"amxx_toolchains", json::Array(lines.begin(), lines.end())},
       {"plugin_categories", json::array_of(services.plugins.categories(), category_json)},
       {"rate_limits",
        json::Object{{"per_day", caller.per_day}, {"per_minute", caller.per_minute}}},
       {"endpoints", endpoint_map()},
       {"docs", services.urls.docs()}});
  response.varies_by_key = true;
  return response;
}

web::Response list_plugins(Services& services, const Call& call) {
  const views::Page page = views::read_page(call.query);
  db::PluginPage found;
  if (const auto filter = read_plugin_filter(services, call.query)) {
    found = services.index.page(*filter, page.offset(), page.size, services.freshness.epoch());
  }
  return web::json_text(views::plugin_page(page, found, services.urls));
}

web::Response show_plugin(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const std::uint64_t epoch = services.freshness.epoch();
  auto plugin = slug ? services.index.find(*slug, epoch) : std::nullopt;
  if (!plugin) return services.errors.make(domain::Error::not_found);
  services.catalog.remove_foreign(*plugin, epoch);
  const auto providers = services.builds.providers().at(epoch);
  return web::json_text(views::plugin_detail(
      *plugin, {services.compile_service.watch.fingerprints(), *providers}, services.urls));
}

web::Response list_addons(Services& services, const Call& call) {
  const views::Page page = views::read_page(call.query);
  const db::AddonPage found = services.addons.list(page.offset(), page.size);
  json::Array items = json::array_of(found.addons, [&](const domain::AddonSummary& addon) {
    return views::addon_summary(addon, services.urls);
  });
  auto response = web::json_ok(views::page_json(page, found.total, "addons", std::move(items)));
  response.is_provisional = true;  // its counters and its order
  return response;
}

web::Response show_addon(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto addon = slug ? services.addons.find(*slug) : std::nullopt;
  if (!addon) return services.errors.make(domain::Error::not_found);
  return web::json_ok({{"addon", views::addon_detail(*addon, services.urls)}});
}

std::optional<db::PluginFilter> search_filter(std::optional<std::string_view> search) {
  db::PluginFilter filter;
  if (!search) return filter;
  const auto text = wanted(*search);
  if (!text) return std::nullopt;
  const std::string words = base::folded_words(*text);
  if (words.empty() && !text->empty()) return std::nullopt;
  for (const std::string_view word : base::split(words, ' ')) {
    if (word.empty() || filter.words.size() == directory::WordIndex::kMostWords) break;
    filter.words.emplace_back(word);
  }
  return filter;
}

std::optional<db::PluginFilter> narrowed(db::PluginFilter filter, Services& services,
                                         const web::Query& query) {
  if (const auto category = query.get("category")) {
    filter.category = domain::Slug::parse(*category);
    if (!filter.category) return std::nullopt;
  }
  if (const auto line = query.get("compiles_with")) {
    filter.compiled_with = compiled_with(services, *line);
    if (!filter.compiled_with) return std::nullopt;
  }
  if (const auto line = query.get("runs_with")) {
    filter.runs_with = compiled_with(services, *line);
    if (!filter.runs_with) return std::nullopt;
    filter.runs_with->proof = db::CompiledWith::Proof::runs;
  }
  if (const auto line = query.get("plays_with")) {
    filter.plays_with = compiled_with(services, *line);
    if (!filter.plays_with) return std::nullopt;
    filter.plays_with->proof = db::CompiledWith::Proof::plays;
  }
  return filter;
}

std::optional<db::PluginFilter> read_plugin_filter(Services& services, const web::Query& query) {
  auto filter = search_filter(query.get("search"));
  const auto q = wanted(query.get("q").value_or(""));
  if (!filter || !q) return std::nullopt;
  filter->folded_text = base::fold_case(*q);
  return narrowed(*std::move(filter), services, query);
}

std::optional<db::CompiledWith> compiled_with(Services& services, std::string_view line) {
  const auto& installed = services.compile_service.watch.fingerprints();
  const auto toolchain = installed.find(std::string(line));
  if (toolchain == installed.end()) return std::nullopt;
  services.freshness.epoch();
  return db::CompiledWith{toolchain->first, toolchain->second, services.freshness.verdicts()};
}

}  // namespace goldsmith::handlers
