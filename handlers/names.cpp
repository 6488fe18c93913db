#include "handlers/names.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "app/creator/name_index.hpp"
#include "app/creator/providers.hpp"
#include "handlers/endpoints.hpp"

namespace goldsmith::handlers {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kMostPlugins = 20;

std::string_view kind_of(const creator::NamePlace& place) {
  switch (place.kind) {
    case 'n':
      return "native";
    case 'f':
      return "forward";
    case 's':
      return "function";
    case 'c':
      return "constant";
    default:
      return "include";
  }
}

json::Object place_json(const creator::NamePlace& place, const creator::NameHome& home) {
  const bool is_newest = place.last + 1 == home.versions.size();
  return {{"component", home.slug},
          {"title", home.title},
          {"kind", kind_of(place)},
          {"include", place.include},
          {"since", place.first == 0 ? std::string() : home.versions[place.first]},
          {"until", is_newest ? std::string() : home.versions[place.last]}};
}

json::Array plugins_json(Services& services, const std::string& name, std::uint64_t epoch) {
  const auto providers = services.builds.providers().at(epoch);
  json::Array found;
  std::set<std::string> slugs;
  for (const std::string& line : domain::toolchain_lines()) {
    for (const db::LibraryPlugin* each : providers->plugins_with_native(name, line, kMostPlugins)) {
      const creator::Provider plugin = creator::Provider::of(*each);
      if (found.size() == kMostPlugins || !slugs.insert(plugin.slug).second) continue;
      found.emplace_back(json::Object{{"slug", plugin.slug},
                                      {"name", plugin.title},
                                      {"page_url", services.urls.plugin_page(plugin.slug)}});
    }
  }
  return found;
}

}  // namespace

bool is_searched_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

json::Object name_json(Services& services, const std::string& name) {
  const std::uint64_t epoch = services.freshness.epoch();
  services.compile_service.watch.generation();
  const auto names = services.names.at(epoch);
  json::Array declared;
  for (const creator::NamePlace* place : names->of(name)) {
    declared.emplace_back(place_json(*place, names->home(*place)));
  }
  return {{"name", name},
          {"declared", std::move(declared)},
          {"plugins", plugins_json(services, name, epoch)}};
}

web::Response show_name(Services& services, const Call& call) {
  const std::string& name = call.path.front();
  if (!is_searched_name(name)) return services.errors.make(domain::Error::not_found);
  return web::json_ok(name_json(services, name));
}

}  // namespace goldsmith::handlers
