#include "handlers/pages/routes.hpp"

#include "handlers/routes.hpp"

namespace goldsmith::handlers::pages {
namespace {

// The function of the table that calls a member of one of the handlers.
template <auto Member, auto Method>
http::Response by(Handlers& handlers, const Call& call) {
  return (handlers.pages.*Member.*Method)(call);
}

std::vector<Route> make_routes() {
  using H = PageHandlers;
  using documents::ServerDocuments;
  const std::vector<Parameter> none{};
  const std::vector<Parameter> page{{"page_n"}};
  const std::vector<Parameter> search{{"q"}, {"category"}, {"page_n"}};
  const std::vector<Parameter> selection{{"components", Parameter::Kind::list},
                                         {"pin", Parameter::Kind::list},
                                         {"plugins", Parameter::Kind::list},
                                         {"optimized", Parameter::Kind::flag},
                                         {"q"},
                                         {"file"}};
  const std::vector<Parameter> build{{"components", Parameter::Kind::list},
                                     {"plugins", Parameter::Kind::list},
                                     {"optimized", Parameter::Kind::flag}};
  // clang-format off
  return {
      {"page_home", "/",
       {}, CachePolicy::until_any_counted, none, by<&H::plugins, &PluginPages::home>},
      {"page_plugins", "/plugins",
       {}, CachePolicy::until_any_counted, search, by<&H::plugins, &PluginPages::directory>},
      {"page_plugin", "/plugins/{slug}",
       {}, CachePolicy::until_downloaded, none, by<&H::plugins, &PluginPages::show>},
      {"page_source", "/plugins/{slug}/{version}/{file}",
       {}, CachePolicy::never, {{"in"}}, by<&H::sources, &SourcePages::show>},
      {"page_addons", "/addons",
       {}, CachePolicy::for_two_seconds, page, by<&H::addons, &AddonPages::list>},
      {"page_addon", "/addons/{slug}",
       {}, CachePolicy::until_changed, none, by<&H::addons, &AddonPages::show>},
      {"page_server", "/server",
       {}, CachePolicy::until_compiled_again, selection, by<&H::server, &ServerPage::show>},
      {"server_checksums", "/server/checksums.txt",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::checksums>, ErrorShape::text},
      {"server_sbom", "/server/sbom.cdx.json",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::sbom>, ErrorShape::json},
      {"server_updater", "/server/update.sh",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::updater>, ErrorShape::text},
      {"server_egg", "/server/egg.json",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::egg>, ErrorShape::json},
      {"server_dockerfile", "/server/Dockerfile",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::dockerfile>, ErrorShape::text},
      {"server_compose", "/server/compose.yaml",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::compose_file>, ErrorShape::text},
      {"server_amp", "/server/amp.json",
       {}, CachePolicy::until_compiled_again, build, by<&H::documents, &ServerDocuments::amp_stages>, ErrorShape::json},
      {"page_server_moved", "/server-creator",
       {}, CachePolicy::never, none, by<&H::server, &ServerPage::moved>},
      {"page_server_moved", "/server-creator/",
       {}, CachePolicy::never, none, by<&H::server, &ServerPage::moved>},
      {"page_status", "/status",
       {}, CachePolicy::for_two_seconds, none, by<&H::status, &StatusPage::show>},
      {"page_licenses", "/licenses",
       {}, CachePolicy::until_changed, none, by<&H::licenses, &LicensePage::show>},
      {"page_docs", "/docs",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::docs>},
      {"page_docs", "/docs/",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::docs>},
      {"toolchain_includes", "/toolchains/{line}/includes.zip",
       {}, CachePolicy::never, none, by<&H::toolchains, &ToolchainFiles::includes>},
      {"client_types", "/docs/api.d.ts",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::client_types>},
      {"examples", "/docs/examples/",
       {}, CachePolicy::never, none, by<&H::standard, &StandardPages::examples>},
      {"example", "/docs/examples/{name}",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::example>},
      {"feed_plugins", "/feeds/plugins.atom",
       {}, CachePolicy::until_changed, none, by<&H::feeds, &FeedPages::plugins>},
      {"feed_plugin", "/feeds/plugins/{slug.atom}",
       {}, CachePolicy::until_changed, none, by<&H::feeds, &FeedPages::plugin>},
      {"feed_components", "/feeds/components.atom",
       {}, CachePolicy::until_changed, none, by<&H::feeds, &FeedPages::components>},
      {"asset", "/assets/{version}/{name}",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::asset>},
      {"style_sheet", "/style.css",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::style_sheet>},
      {"icon", "/favicon.svg",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::icon>},
      {"icon", "/favicon.ico",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::icon>},
      {"robots", "/robots.txt",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::robots>},
      {"sitemap", "/sitemap.xml",
       {}, CachePolicy::until_changed, page, by<&H::standard, &StandardPages::sitemap>},
      {"security", "/.well-known/security.txt",
       {}, CachePolicy::never, none, by<&H::standard, &StandardPages::security>},
      {"opensearch", "/opensearch.xml",
       {}, CachePolicy::until_changed, none, by<&H::standard, &StandardPages::search_description>},
  };
  // clang-format on
}

}  // namespace

std::span<const Route> page_routes() {
  static const std::vector<Route> routes = make_routes();
  return routes;
}

}  // namespace goldsmith::handlers::pages
