// The whole API as one table (routes.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/access/caller.hpp"
#include "app/http/response.hpp"
#include "handlers/addons.hpp"
#include "handlers/call.hpp"
#include "handlers/meta.hpp"
#include "handlers/pages/routes.hpp"
#include "handlers/plugin_download.hpp"
#include "handlers/plugins.hpp"
#include "handlers/server_builds.hpp"
#include "handlers/server_catalog.hpp"

namespace goldsmith::handlers {

// Made once by the worker.
struct Handlers {
  MetaHandler meta;
  PluginHandlers plugins;
  PluginDownloadHandler plugin_download;
  AddonHandlers addons;
  CatalogHandlers catalog;
  BuildHandlers builds;
  pages::PageHandlers pages;
};

using Handler = http::Response (*)(Handlers&, const Call&);

// How long a rendered 200 may be served again. Counters lag two seconds at most, those of this host
// only in lists.
enum class CachePolicy {
  never,
  until_changed,  // what it shows changes only through the operator's command
  // The same, or by a download of the plugin that it shows, a verdict about a compile, or a change
  // of a toolchain.
  until_downloaded,
  until_any_counted,  // the same, or by a download of any plugin
  for_two_seconds,    // the same; its counters are not followed
  // The same, or by a compile: for a minute at most, as what ended at a limit may pass next time,
  // and only while the toolchains are the same.
  until_compiled_again
};

// A query parameter that a route reads. Its spelling is not part of what is asked for: requests
// that mean the same share a cached response.
struct Parameter {
  enum class Kind {
    text,
    list,  // tokens of decision S1: their order and how often one comes do not matter
    flag   // decision R7
  };
  std::string_view name;
  Kind kind = Kind::text;
};

// What the errors of a route look like that its handler does not make: a wrong method, a failure.
enum class ErrorShape { page, text, json };

struct Route {
  std::string_view name;  // in /v1/meta's endpoint map, and of a page in logs and metrics
  std::string_view path;  // template: "/v1/plugins/{slug}"
  std::vector<access::Scope> scopes;
  CachePolicy cache_policy;
  std::vector<Parameter> parameters;  // all that the handler reads of the query
  Handler handler;
  ErrorShape errors = ErrorShape::page;  // outside of the API, where they are always JSON
};

// Those of the API; pages::page_routes() are the others.
std::span<const Route> routes();
// What is outside of the API and there without the pages, too: the archives.
std::span<const Route> archive_routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> path;  // for Call::path
};
// std::nullopt if no template fits the segments.
std::optional<Match> find_route(std::span<const Route> table,
                                const std::vector<std::string>& segments);

}  // namespace goldsmith::handlers
