#include "handlers/routes.hpp"

#include "handlers/addons.hpp"
#include "handlers/meta.hpp"
#include "handlers/plugin_download.hpp"
#include "handlers/plugins.hpp"
#include "handlers/server_builds.hpp"
#include "handlers/server_catalog.hpp"

namespace goldsmith::handlers {
namespace {

using access::Scope;

const std::vector<Route>& table() {
  static const std::vector<Scope> plugins{Scope::plugins_read};
  static const std::vector<Scope> addons{Scope::addons_read};
  static const std::vector<Scope> server{Scope::server_read};
  static const std::vector<Scope> meta{Scope::plugins_read, Scope::addons_read};
  static const std::vector<Route> routes{
      {"meta", "/v1/meta", meta, CachePolicy::until_changed, show_meta},
      {"plugins", "/v1/plugins", plugins, CachePolicy::for_two_seconds, list_plugins},
      {"plugin_detail", "/v1/plugins/{slug}", plugins, CachePolicy::until_counted, show_plugin},
      {"plugin_download", "/v1/plugins/{slug}/download/{version}", plugins, CachePolicy::never,
       download_plugin},
      {"addons", "/v1/addons", addons, CachePolicy::for_two_seconds, list_addons},
      {"addon_detail", "/v1/addons/{slug}", addons, CachePolicy::until_changed, show_addon},
      {"server_builder_meta", "/v1/server-builder/meta", server, CachePolicy::until_changed,
       show_catalog},
      {"server_builder_component", "/v1/server-builder/components/{slug}", server,
       CachePolicy::until_changed, show_component},
      {"server_builder_resolve", "/v1/server-builder/resolve", server, CachePolicy::never,
       resolve_build},
      {"server_builder_file", "/v1/server-builder/file", server, CachePolicy::never, preview_file},
      {"server_builder_download", "/v1/server-builder/download", server, CachePolicy::never,
       download_build},
  };
  return routes;
}

bool is_placeholder(std::string_view segment) { return segment.front() == '{'; }

// Nothing when the template does not fit.
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

std::optional<Match> find_route(const std::vector<std::string>& segments) {
  for (const Route& route : table()) {
    if (auto values = match(route.path, segments)) return Match{&route, std::move(*values)};
  }
  return std::nullopt;
}

}  // namespace goldsmith::handlers
