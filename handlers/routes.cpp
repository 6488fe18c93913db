#include "handlers/routes.hpp"

namespace goldsmith::handlers {
namespace {

using access::Scope;

// The function of the table that calls a member of one of the handlers.
template <auto Member, auto Method>
http::Response by(Handlers& handlers, const Call& call) {
  return (handlers.*Member.*Method)(call);
}

const std::vector<Route>& table() {
  using H = Handlers;
  using Kind = Parameter::Kind;
  static const std::vector<Scope> plugins{Scope::plugins_read};
  static const std::vector<Scope> addons{Scope::addons_read};
  static const std::vector<Scope> server{Scope::server_read};
  static const std::vector<Scope> meta{Scope::plugins_read, Scope::addons_read};
  static const std::vector<Parameter> none{};
  static const std::vector<Parameter> page{{"page_n"}, {"per_page"}};
  static const std::vector<Parameter> search{{"q"}, {"category"}, {"page_n"}, {"per_page"}};
  static const std::vector<Parameter> source{{"kind"}, {"amxx"}};
  static const std::vector<Parameter> selection{
      {"components", Kind::list}, {"plugins", Kind::list}, {"optimized", Kind::flag}};
  static const std::vector<Parameter> file{
      {"path"}, {"components", Kind::list}, {"plugins", Kind::list}, {"optimized", Kind::flag}};
  // clang-format off
  static const std::vector<Route> routes{
      {"meta", "/v1/meta",
       meta, CachePolicy::until_changed, none, by<&H::meta, &MetaHandler::show>},
      {"plugins", "/v1/plugins",
       plugins, CachePolicy::until_any_counted, search, by<&H::plugins, &PluginHandlers::list>},
      {"plugin_detail", "/v1/plugins/{slug}",
       plugins, CachePolicy::until_downloaded, none, by<&H::plugins, &PluginHandlers::show>},
      {"plugin_download", "/v1/plugins/{slug}/download/{version}",
       plugins, CachePolicy::never, source, by<&H::plugin_download, &PluginDownloadHandler::download>},
      {"addons", "/v1/addons",
       addons, CachePolicy::for_two_seconds, page, by<&H::addons, &AddonHandlers::list>},
      {"addon_detail", "/v1/addons/{slug}",
       addons, CachePolicy::until_changed, none, by<&H::addons, &AddonHandlers::show>},
      {"server_builder_meta", "/v1/server-builder/meta",
       server, CachePolicy::until_changed, none, by<&H::catalog, &CatalogHandlers::show>},
      {"server_builder_component", "/v1/server-builder/components/{slug}",
       server, CachePolicy::until_changed, none, by<&H::catalog, &CatalogHandlers::show_component>},
      {"server_builder_resolve", "/v1/server-builder/resolve",
       server, CachePolicy::until_compiled_again, selection, by<&H::builds, &BuildHandlers::resolve>},
      {"server_builder_file", "/v1/server-builder/file",
       server, CachePolicy::until_compiled_again, file, by<&H::builds, &BuildHandlers::preview_file>},
      {"server_builder_download", "/v1/server-builder/download",
       server, CachePolicy::never, selection, by<&H::builds, &BuildHandlers::download>},
  };
  // clang-format on
  return routes;
}

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
    if (is_placeholder(expected)) {
      values.push_back(segment);
    } else if (segment != expected) {
      return std::nullopt;
    }
  }
  if (index != segments.size()) return std::nullopt;
  return values;
}

}  // namespace

std::span<const Route> routes() { return table(); }

std::span<const Route> archive_routes() {
  static const std::vector<Route> routes{{"server_archive",
                                          "/archives/{name}",
                                          {},
                                          CachePolicy::never,
                                          {},
                                          by<&Handlers::builds, &BuildHandlers::archive>,
                                          ErrorShape::json}};
  return routes;
}

std::optional<Match> find_route(std::span<const Route> table,
                                const std::vector<std::string>& segments) {
  for (const Route& route : table) {
    if (auto values = match(route.path, segments)) return Match{&route, std::move(*values)};
  }
  return std::nullopt;
}

}  // namespace goldsmith::handlers
