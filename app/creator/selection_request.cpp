// What is asked for: how it is read from a query and written as one (selection.hpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/failure.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::creator {

namespace {

// Text that is not UTF-8 matches no name, but is repeated in the response, so it must be valid in
// JSON.
std::string as_utf8(std::string_view text) {
  if (domain::is_utf8(text)) return std::string(text);
  std::string clean;
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) < 0x80) {
      clean += byte;
    } else if (!clean.ends_with(base::kReplacementCharacter)) {
      clean += base::kReplacementCharacter;
    }
  }
  return clean;
}

std::vector<std::string> tokens(std::string_view list) {
  std::vector<std::string> found;
  for (const std::string_view piece : base::split(list, ',')) {
    const std::string_view token = base::trim_ascii(piece);
    if (!token.empty()) found.push_back(as_utf8(token));
  }
  return found;
}

Token parse_token(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(base::trim_ascii(text.substr(0, at))),
          std::string(base::trim_ascii(text.substr(at + 1)))};
}

// A pin beats none; of several the last in the order of versions stays.
std::vector<Token> plugin_tokens(std::string_view list) {
  std::map<std::string, std::string> pins;
  for (const std::string& text : tokens(list)) {
    Token token = parse_token(text);
    std::string& pin = pins[token.slug];
    if (token.version.empty()) continue;
    if (pin.empty() || domain::version_order(token.version, pin) > 0) {
      pin = std::move(token.version);
    }
  }
  std::vector<Token> found;
  for (const auto& [slug, pin] : pins) found.push_back({slug, pin});
  return found;
}

// Legal in a query, and easier to read than their codes.
constexpr std::string_view kPlain = ",@";

using Names = std::vector<std::string>;

// "components=…&plugins=…&order=…&optimized=1" of what there is.
std::string query_of(const std::optional<Names>& components, const SelectionRequest& request) {
  Names parameters;
  const auto add = [&](const std::string& name, const Names& names) {
    parameters.push_back(name + "=" + base::percent_encode(base::join(names, ","), kPlain));
  };
  // Without a value the parameter means the recommended stack.
  if (components) add("components", components->empty() ? Names{"", ""} : *components);
  Names plugins;
  for (const Token& token : request.plugins) plugins.push_back(spelled(token));
  if (!plugins.empty()) add("plugins", plugins);
  if (!request.order.empty()) add("order", request.order);
  if (request.optimized) parameters.emplace_back("optimized=1");
  if (!request.settings.empty()) {
    parameters.push_back("cfg=" + base::percent_encode(request.settings, kPlain));
  }
  return base::join(parameters, "&");
}

// `unit`: what is counted.
domain::Failure too_many(std::string_view parameter, std::string_view unit, std::uint64_t limit,
                         std::uint64_t count) {
  domain::Failure failure(domain::Error::bad_request);
  failure.cause =
      unit == parameter
          ? fmt::format("A selection may name at most {} {}; this one names {}.", limit, unit,
                        count)
          : fmt::format(
                "The plugins of a selection may have at most {} {} together; these have {}.", limit,
                unit, count);
  failure.fields = {{"parameter", parameter},
                    {"limit", static_cast<std::int64_t>(limit)},
                    {"reason", failure.cause}};
  return failure;
}

}  // namespace

std::string spelled(const Token& token) {
  return token.version.empty() ? token.slug : token.slug + "@" + token.version;
}

void check_size(const SelectionRequest& request) {
  if (request.plugins.size() > kMaxPlugins) {
    throw too_many("plugins", "plugins", kMaxPlugins, request.plugins.size());
  }
  if (!request.components) return;
  std::set<std::string_view> slugs;
  for (const Token& token : *request.components) slugs.insert(token.slug);
  if (slugs.size() > kMaxComponents) {
    throw too_many("components", "components", kMaxComponents, slugs.size());
  }
}

void check_order(const SelectionRequest& request) {
  for (const std::string& slug : request.order) {
    const bool is_selected = std::any_of(request.plugins.begin(), request.plugins.end(),
                                         [&](const Token& token) { return token.slug == slug; });
    if (is_selected) continue;
    domain::Failure failure(domain::Error::bad_request);
    failure.cause = fmt::format(
        "\"{}\" is not among the plugins of the selection: name it in \"plugins\", too, or leave "
        "it out "
        "of \"order\".",
        slug);
    failure.fields = {{"parameter", "order"}, {"reason", failure.cause}};
    throw failure;
  }
}

void check_files(const domain::FileTotals& totals) {
  const auto check = [](std::string_view unit, std::uint64_t limit, std::uint64_t count) {
    if (count > limit) throw too_many("plugins", unit, limit, count);
  };
  check("bytes", kMaxPluginBytes, totals.bytes);
  check("files", kMaxPluginFiles, totals.files);
  check("bytes of paths", kMaxPluginPathBytes, totals.path_bytes);
}

SelectionRequest parse_selection_request(std::optional<std::string_view> components,
                                         std::optional<std::string_view> plugins, bool optimized,
                                         std::optional<std::string_view> order) {
  SelectionRequest request;
  request.optimized = optimized;
  if (components && !components->empty()) {
    request.components.emplace();
    for (const std::string& token : tokens(*components)) {
      request.components->push_back(parse_token(token));
    }
    auto& named = *request.components;
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
  }
  if (plugins) request.plugins = plugin_tokens(*plugins);
  std::set<std::string> ordered;
  for (std::string& slug : tokens(order.value_or(""))) {
    if (ordered.insert(slug).second) request.order.push_back(std::move(slug));
  }
  return request;
}

std::string download_query(const SelectionRequest& request, const Selection& selection) {
  Names components;
  for (const Selected& selected : selection.components) {
    if (selected.bundled) continue;
    components.push_back(selected.component->slug + "@" + selected.version->version);
  }
  return query_of(components, request);
}

std::string request_query(const SelectionRequest& request) {
  if (!request.components) return query_of(std::nullopt, request);
  Names components;
  for (const Token& token : *request.components) components.push_back(spelled(token));
  return query_of(components, request);
}

std::string pack_query(const std::vector<std::string>& slugs, const std::string& server) {
  if (slugs.empty()) return server;
  const std::string list = base::percent_encode(base::join(slugs, ","), kPlain);
  std::string query = "plugins=" + list;
  if (!std::is_sorted(slugs.begin(), slugs.end())) query += "&order=" + list;
  return server.empty() ? query : query + '&' + server;
}

}  // namespace goldsmith::creator
