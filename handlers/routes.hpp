// The whole API as one table (routes.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/services.hpp"

namespace goldsmith::handlers {

// While a rendered 200 may be sent again: as long as nothing that it shows has changed. What the
// operator's command changes ends it in any case, Response::is_provisional after two seconds.
// Counters lag two seconds at most, those of this host only in lists.
enum class CachePolicy {
  never,
  until_changed,     // by the operator's command
  until_downloaded,  // or by a download, a verdict or a toolchain: of the plugin of the path
  // Or by a download of any plugin, and by a verdict or a toolchain if the request asks for what
  // compiles or searches for words, also those of what plugins need.
  until_any_downloaded,
  for_a_minute,             // at most: what is dear, and the same for everybody
  until_any_checked,        // or by a download of any plugin, a verdict or a toolchain
  until_toolchain_changed,  // or by a change of any toolchain or its includes
  // Or by a compile, if the request names plugins: for a minute at most, as what ended at a limit
  // may pass next time, and while the toolchains are the same.
  until_compiled_again
};

// What the errors of a route look like: those that its handler does not make, such as for a wrong
// method, and, if they are text, also those that it does.
enum class ErrorShape { page, text, json };

// What a request outside of the API takes unless it is answered from memory (decision R21).
enum class Price {
  nothing,
  request,  // one request of the caller's windows
  turn,     // a place among the build workers that make pages
  page      // a request, and a place among the build workers that make pages
};

struct Route {
  std::string_view name;  // in /v1/meta's endpoint map, and of a page in logs and metrics
  // Template: "/v1/plugins/{slug}". "{path...}" at its end takes one or more segments.
  std::string_view path;
  std::span<const limits::Scope> scopes;
  CachePolicy cache_policy;
  std::span<const web::Parameter> parameters;  // Call::query has these alone
  web::Response (*handler)(Services&, const Call&);
  ErrorShape errors = ErrorShape::page;  // outside of the API, where they are always JSON
  Price price = Price::nothing;
  bool runs_module = false;  // the page runs WebAssembly, which its policy allows (decision R18)
};

std::span<const Route> routes();  // of the API
// What is outside of the API and there without the pages, too: archives, and files of builds for
// game clients.
std::span<const Route> archive_routes();
// The web pages, and the documents beside them (pages/routes.cpp). No key opens them.
std::span<const Route> page_routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> path;  // for Call::path
};
// std::nullopt if no template fits the segments.
std::optional<Match> find_route(std::span<const Route> table,
                                const std::vector<std::string>& segments);

}  // namespace goldsmith::handlers
