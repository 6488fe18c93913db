#include "handlers/routes.hpp"

#include <array>
#include <utility>

#include "handlers/builds.hpp"
#include "handlers/endpoints.hpp"

namespace goldsmith::handlers {
namespace {

using limits::Scope;

using Kind = web::Parameter::Kind;
constexpr auto kReadPlugins = std::to_array({Scope::plugins_read});
constexpr auto kReadAddons = std::to_array({Scope::addons_read});
constexpr auto kReadServer = std::to_array({Scope::server_read});
constexpr auto kReadMeta = std::to_array({Scope::plugins_read, Scope::addons_read});
constexpr auto kPage = std::to_array<web::Parameter>({{"page_n"}, {"per_page"}});
constexpr auto kSearch = std::to_array<web::Parameter>({{"search"},
                                                        {"q"},
                                                        {"category"},
                                                        {"compiles_with"},
                                                        {"runs_with"},
                                                        {"plays_with"},
                                                        {"page_n"},
                                                        {"per_page"}});
constexpr auto kSource = std::to_array<web::Parameter>(
    {{"kind"}, {"amxx"}, {"list", web::Parameter::Kind::flag}, {"texts"}});
constexpr auto kDownload = std::to_array<web::Parameter>({{"components", Kind::list},
                                                          {"plugins", Kind::list},
                                                          {"order"},
                                                          {"optimized", Kind::flag},
                                                          {"cfg"},
                                                          {"build"},
                                                          {"from"},
                                                          {"direct", Kind::flag}});
constexpr auto kFile = std::to_array<web::Parameter>({{"path"},
                                                      {"components", Kind::list},
                                                      {"plugins", Kind::list},
                                                      {"order"},
                                                      {"optimized", Kind::flag},
                                                      {"cfg"},
                                                      {"build"}});

// clang-format off
constexpr auto kRoutes = std::to_array<Route>({
  {"meta", "/v1/meta",
   kReadMeta, CachePolicy::until_changed, {}, show_meta},
  {"plugins", "/v1/plugins",
   kReadPlugins, CachePolicy::until_any_downloaded, kSearch, list_plugins},
  {"plugin_detail", "/v1/plugins/{slug}",
   kReadPlugins, CachePolicy::until_downloaded, {}, show_plugin},
  {"plugin_download", "/v1/plugins/{slug}/download/{version}",
   kReadPlugins, CachePolicy::never, kSource, download_plugin},
  {"addons", "/v1/addons",
   kReadAddons, CachePolicy::until_changed, kPage, list_addons},
  {"addon_detail", "/v1/addons/{slug}",
   kReadAddons, CachePolicy::until_changed, {}, show_addon},
  {"server_builder_meta", "/v1/server-builder/meta",
   kReadServer, CachePolicy::until_changed, {}, show_catalog},
  {"server_builder_component", "/v1/server-builder/components/{slug}",
   kReadServer, CachePolicy::until_changed, {}, show_component},
  {"server_builder_name", "/v1/server-builder/names/{name}",
   kReadServer, CachePolicy::until_any_checked, {}, show_name},
  {"server_builder_resolve", "/v1/server-builder/resolve",
   kReadServer, CachePolicy::until_compiled_again, kSelectionParameters, resolve_server},
  {"server_builder_compare", "/v1/server-builder/compare",
   kReadServer, CachePolicy::until_compiled_again, kSelectionAndFrom, compare_servers},
  {"server_builder_file", "/v1/server-builder/file",
   kReadServer, CachePolicy::until_compiled_again, kFile, preview_file},
  {"server_builder_download", "/v1/server-builder/download",
   kReadServer, CachePolicy::never, kDownload, download_server},
});

constexpr auto kArchiveRoutes = std::to_array<Route>({
  {"server_archive", "/archives/{name}",
   {}, CachePolicy::never, {}, show_archive, ErrorShape::json, Price::request},
  {"fastdl", "/fastdl/{build_hash}/{path...}",
   {}, CachePolicy::never, {}, show_resource, ErrorShape::text, Price::turn},
});
// clang-format on

bool is_placeholder(std::string_view segment) { return segment.starts_with('{'); }

// std::nullopt if the template does not fit.
std::optional<std::vector<std::string>> match(std::string_view path,
                                              const std::vector<std::string>& segments) {
  std::vector<std::string> values;
  std::size_t index = 0;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view expected = path.substr(0, path.find('/'));
    path.remove_prefix(expected.size());
    if (index == segments.size()) return std::nullopt;
    const std::string& segment = segments[index++];
    if (expected.ends_with("...}")) {
      std::string rest = segment;
      while (index < segments.size()) rest.append("/").append(segments[index++]);
      values.push_back(std::move(rest));
    } else if (is_placeholder(expected)) {
      values.push_back(segment);
    } else if (segment != expected) {
      return std::nullopt;
    }
  }
  if (index != segments.size()) return std::nullopt;
  return values;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::span<const Route> archive_routes() { return kArchiveRoutes; }

std::optional<Match> find_route(std::span<const Route> table,
                                const std::vector<std::string>& segments) {
  for (const Route& route : table) {
    if (auto values = match(route.path, segments)) return Match{&route, std::move(*values)};
  }
  return std::nullopt;
}

}  // namespace goldsmith::handlers
