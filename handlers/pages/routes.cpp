#include "handlers/pages/routes.hpp"

#include <array>

#include "handlers/routes.hpp"

namespace goldsmith::handlers::pages {
namespace {

// The function of the table that calls a member of one of the handlers.
template <auto Member, auto Method>
http::Response by(Handlers& handlers, const Call& call) {
  return (handlers.pages.*Member.*Method)(call);
}

using Kind = http::Parameter::Kind;
constexpr auto kPage = std::to_array<http::Parameter>({{"page_n"}});
constexpr auto kSearch = std::to_array<http::Parameter>({{"q"}, {"category"}, {"page_n"}});
constexpr auto kSource = std::to_array<http::Parameter>({{"in"}});
constexpr auto kCreator = std::to_array<http::Parameter>({{"components", Kind::list},
                                                          {"pin", Kind::list},
                                                          {"plugins", Kind::list},
                                                          {"optimized", Kind::flag},
                                                          {"q"},
                                                          {"file"}});

using H = PageHandlers;
using Documents = documents::ServerDocuments;
// clang-format off
constexpr auto kRoutes = std::to_array<Route>({
  {"page_home", "/",
   {}, CachePolicy::until_any_downloaded, {}, by<&H::plugins, &PluginPages::home>},
  {"page_plugins", "/plugins",
   {}, CachePolicy::until_any_downloaded, kSearch, by<&H::plugins, &PluginPages::directory>},
  {"page_plugin", "/plugins/{slug}",
   {}, CachePolicy::until_downloaded, {}, by<&H::plugins, &PluginPages::show>},
  {"page_source", "/plugins/{slug}/{version}/{file}",
   {}, CachePolicy::never, kSource, by<&H::sources, &SourcePages::show>, ErrorShape::page, Price::page},
  {"page_addons", "/addons",
   {}, CachePolicy::until_changed, kPage, by<&H::addons, &AddonPages::list>},
  {"page_addon", "/addons/{slug}",
   {}, CachePolicy::until_changed, {}, by<&H::addons, &AddonPages::show>},
  {"page_server", "/server",
   {}, CachePolicy::until_compiled_again, kCreator, by<&H::server, &ServerPage::show>, ErrorShape::page, Price::page},
  {"server_checksums", "/server/checksums.txt",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::checksums>, ErrorShape::text, Price::page},
  {"server_sbom", "/server/sbom.cdx.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::sbom>, ErrorShape::json, Price::page},
  {"server_updater", "/server/update.sh",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::updater>, ErrorShape::text, Price::page},
  {"server_egg", "/server/egg.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::egg>, ErrorShape::json, Price::page},
  {"server_dockerfile", "/server/Dockerfile",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::dockerfile>, ErrorShape::text, Price::page},
  {"server_compose", "/server/compose.yaml",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::compose_file>, ErrorShape::text, Price::page},
  {"server_amp", "/server/amp.json",
   {}, CachePolicy::until_compiled_again, kSelectionParameters, by<&H::documents, &Documents::amp_stages>, ErrorShape::json, Price::page},
  {"page_server_moved", "/server-creator",
   {}, CachePolicy::never, {}, by<&H::server, &ServerPage::moved>},
  {"page_server_moved", "/server-creator/",
   {}, CachePolicy::never, {}, by<&H::server, &ServerPage::moved>},
  {"page_status", "/status",
   {}, CachePolicy::until_changed, {}, by<&H::status, &StatusPage::show>, ErrorShape::page, Price::page},
  {"page_licenses", "/licenses",
   {}, CachePolicy::until_changed, {}, by<&H::licenses, &LicensePage::show>},
  {"page_docs", "/docs",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::docs>},
  {"page_docs", "/docs/",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::docs>},
  {"toolchain_includes", "/toolchains/{line}/includes.zip",
   {}, CachePolicy::never, {}, by<&H::toolchains, &ToolchainFiles::includes>, ErrorShape::page, Price::page},
  {"client_types", "/docs/api.d.ts",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::client_types>},
  {"examples", "/docs/examples/",
   {}, CachePolicy::never, {}, by<&H::standard, &StandardPages::examples>},
  {"example", "/docs/examples/{name}",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::example>},
  {"security_policy", "/docs/SECURITY.md",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::security_policy>},
  {"feed_plugins", "/feeds/plugins.atom",
   {}, CachePolicy::until_changed, {}, by<&H::feeds, &FeedPages::plugins>},
  {"feed_plugin", "/feeds/plugins/{slug.atom}",
   {}, CachePolicy::until_changed, {}, by<&H::feeds, &FeedPages::plugin>},
  {"feed_components", "/feeds/components.atom",
   {}, CachePolicy::until_changed, {}, by<&H::feeds, &FeedPages::components>},
  {"asset", "/assets/{version}/{name}",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::asset>},
  {"style_sheet", "/style.css",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::style_sheet>},
  {"icon", "/favicon.svg",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::icon>},
  {"icon", "/favicon.ico",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::icon>},
  {"robots", "/robots.txt",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::robots>},
  {"sitemap", "/sitemap.xml",
   {}, CachePolicy::until_changed, kPage, by<&H::standard, &StandardPages::sitemap>},
  {"security", "/.well-known/security.txt",
   {}, CachePolicy::never, {}, by<&H::standard, &StandardPages::security>},
  {"opensearch", "/opensearch.xml",
   {}, CachePolicy::until_changed, {}, by<&H::standard, &StandardPages::search_description>},
});
// clang-format on

}  // namespace

std::span<const Route> page_routes() { return kRoutes; }

}  // namespace goldsmith::handlers::pages
