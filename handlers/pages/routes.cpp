#include <array>

#include "handlers/builds.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/routes.hpp"

namespace goldsmith::handlers::pages {
namespace {

using ParameterKind = web::Parameter::Kind;
constexpr auto kPage = std::to_array<web::Parameter>({{"page_n"}});
constexpr auto kSearch = std::to_array<web::Parameter>({{"q"},
                                                        {"search"},
                                                        {"category"},
                                                        {"compiles_with"},
                                                        {"runs_with"},
                                                        {"plays_with"},
                                                        {"author"},
                                                        {"needs"},
                                                        {"sort"},
                                                        {"page_n"}});
constexpr auto kSource = std::to_array<web::Parameter>({{"in"}});
constexpr auto kName = std::to_array<web::Parameter>({{"q"}});
constexpr auto kCompare = std::to_array<web::Parameter>({{"components", ParameterKind::list},
                                                         {"plugins", ParameterKind::list},
                                                         {"order"},
                                                         {"optimized", ParameterKind::flag},
                                                         {"cfg"},
                                                         {"build"},
                                                         {"from"},
                                                         {"to"}});

// clang-format off
constexpr auto kRoutes = std::to_array<Route>({
  {"page_home", "/",
   {}, CachePolicy::until_any_checked, {}, home_page},
  {"page_plugins", "/plugins",
   {}, CachePolicy::until_any_checked, kSearch, directory_page},
  {"page_plugin", "/plugins/{slug}",
   {}, CachePolicy::until_downloaded, {}, plugin_page},
  {"plugin_badge", "/plugins/{slug}/badge.svg",
   {}, CachePolicy::until_downloaded, {}, plugin_badge},
  {"page_source", "/plugins/{slug}/{version}/{file}",
   {}, CachePolicy::never, kSource, source_page, ErrorShape::page, Price::page},
  {"page_addons", "/addons",
   {}, CachePolicy::until_changed, kPage, addons_page},
  {"page_addon", "/addons/{slug}",
   {}, CachePolicy::until_any_checked, {}, addon_page},
  {"page_server", "/server",
   {}, CachePolicy::until_compiled_again, kCreatorParameters, server_page, ErrorShape::page, Price::page},
  {"page_compare", "/server/compare",
   {}, CachePolicy::until_compiled_again, kCompare, compare_page, ErrorShape::page, Price::page},
  {"page_existing", "/server/existing",
   {}, CachePolicy::until_changed, {}, existing_page, ErrorShape::page, Price::nothing, true},
  {"server_checksums", "/server/checksums.txt",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_checksums, ErrorShape::text, Price::page},
  {"server_plugins", "/server/plugins.txt",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_plugins, ErrorShape::text, Price::page},
  {"server_configuration", "/server/configuration.txt",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_configuration, ErrorShape::text, Price::page},
  {"server_sbom", "/server/sbom.cdx.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_sbom, ErrorShape::json, Price::page},
  {"server_update_facts", "/server/update.txt",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_update_facts, ErrorShape::text, Price::page},
  {"server_updater", "/server/update.sh",
   {}, CachePolicy::never, kSelectionParameters, documents::show_updater, ErrorShape::text, Price::page},
  {"known_files", "/server/known-files.txt",
   {}, CachePolicy::for_a_minute, {}, documents::show_known_files, ErrorShape::text, Price::page},
  {"known_names", "/server/known-names.txt",
   {}, CachePolicy::until_toolchain_changed, {}, documents::show_known_names, ErrorShape::text, Price::page},
  {"server_adopter", "/server/adopt.sh",
   {}, CachePolicy::until_changed, {}, documents::show_adopter, ErrorShape::text, Price::page},
  {"server_egg", "/server/egg.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_egg, ErrorShape::json, Price::page},
  {"server_dockerfile", "/server/Dockerfile",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_dockerfile, ErrorShape::text, Price::page},
  {"server_compose", "/server/compose.yaml",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_compose_file, ErrorShape::text, Price::page},
  {"server_amp", "/server/amp.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_amp_stages, ErrorShape::json, Price::page},
  {"server_gameap", "/server/gameap.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, documents::show_game_mod, ErrorShape::json, Price::page},
  {"page_log", "/log",
   {}, CachePolicy::until_changed, {}, log_page, ErrorShape::page, Price::nothing, true},
  {"page_names", "/names",
   {}, CachePolicy::until_any_checked, kName, names_page},
  {"server_explainer", "/server/explain.sh",
   {}, CachePolicy::until_changed, {}, documents::show_explainer, ErrorShape::text},
  {"server_log_causes", "/server/log-causes.json",
   {}, CachePolicy::until_changed, {}, documents::show_log_causes, ErrorShape::json},
  {"page_status", "/status",
   {}, CachePolicy::until_changed, {}, status_page, ErrorShape::page, Price::page},
  {"page_licenses", "/licenses",
   {}, CachePolicy::until_changed, {}, license_page},
  {"page_docs", "/docs",
   {}, CachePolicy::until_changed, {}, docs_page},
  {"toolchain_includes", "/toolchains/{line}/includes.zip",
   {}, CachePolicy::until_toolchain_changed, {}, toolchain_includes, ErrorShape::page, Price::page},
  {"client_types", "/docs/api.d.ts",
   {}, CachePolicy::until_changed, {}, client_types},
  {"examples", "/docs/examples/",
   {}, CachePolicy::never, {}, examples},
  {"example", "/docs/examples/{name}",
   {}, CachePolicy::until_changed, {}, example},
  {"security_policy", "/docs/SECURITY.md",
   {}, CachePolicy::until_changed, {}, security_policy},
  {"feed_plugins", "/feeds/plugins.atom",
   {}, CachePolicy::until_changed, {}, plugins_feed},
  {"feed_plugin", "/feeds/plugins/{slug.atom}",
   {}, CachePolicy::until_changed, {}, plugin_feed},
  {"feed_server", "/feeds/server.atom",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, server_feed, ErrorShape::text, Price::page},
  {"feed_components", "/feeds/components.atom",
   {}, CachePolicy::until_changed, {}, components_feed},
  {"asset", "/assets/{version}/{name}",
   {}, CachePolicy::until_changed, {}, asset},
  {"style_sheet", "/style.css",
   {}, CachePolicy::until_changed, {}, style_sheet},
  {"icon", "/favicon.svg",
   {}, CachePolicy::until_changed, {}, icon},
  {"icon", "/favicon.ico",
   {}, CachePolicy::until_changed, {}, icon},
  {"robots", "/robots.txt",
   {}, CachePolicy::until_changed, {}, robots},
  {"sitemap", "/sitemap.xml",
   {}, CachePolicy::until_changed, kPage, sitemap},
  {"security", "/.well-known/security.txt",
   {}, CachePolicy::never, {}, security},
  {"opensearch", "/opensearch.xml",
   {}, CachePolicy::until_changed, {}, search_description},
});
// clang-format on

}  // namespace
}  // namespace goldsmith::handlers::pages

namespace goldsmith::handlers {

std::span<const Route> page_routes() { return pages::kRoutes; }

}  // namespace goldsmith::handlers
