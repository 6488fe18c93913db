#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "app/creator/selection.hpp"
#include "app/domain/names.hpp"
#include "app/sys/text.hpp"

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
    } else if (!clean.ends_with(sys::kReplacementCharacter)) {
      clean += sys::kReplacementCharacter;
    }
  }
  return clean;
}

std::vector<std::string> tokens(std::string_view list) {
  std::vector<std::string> found;
  for (const std::string_view piece : sys::split(list, ',')) {
    const std::string_view token = sys::trim_ascii(piece);
    if (!token.empty()) found.push_back(as_utf8(token));
  }
  return found;
}

Token parse_token(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(sys::trim_ascii(text.substr(0, at))),
          std::string(sys::trim_ascii(text.substr(at + 1)))};
}

// A pin beats none; of several the last in natural order stays.
std::vector<Token> plugin_tokens(std::string_view list) {
  std::map<std::string, std::string> pins;
  for (const std::string& text : tokens(list)) {
    Token token = parse_token(text);
    std::string& pin = pins[token.slug];
    if (domain::natural_order(token.version, pin) > 0) pin = std::move(token.version);
  }
  std::vector<Token> found;
  for (const auto& [slug, pin] : pins) found.push_back({slug, pin});
  return found;
}

// Legal in a query, and easier to read than their codes.
constexpr std::string_view kPlain = ",@";

using Names = std::vector<std::string>;

// "components=…&plugins=…&optimized=1" of what there is.
std::string query_of(const std::optional<Names>& components, const SelectionRequest& request) {
  Names parameters;
  const auto add = [&](const std::string& name, const Names& names) {
    parameters.push_back(name + "=" + sys::percent_encode(sys::join(names, ","), kPlain));
  };
  if (components) add("components", *components);
  Names plugins;
  for (const Token& token : request.plugins) plugins.push_back(spelled(token));
  if (!plugins.empty()) add("plugins", plugins);
  if (request.optimized) parameters.emplace_back("optimized=1");
  return sys::join(parameters, "&");
}

}  // namespace

std::string spelled(const Token& token) {
  return token.version.empty() ? token.slug : token.slug + "@" + token.version;
}

std::string sentence(const Excess& excess) {
  const std::string limit = std::to_string(excess.limit) + " " + std::string(excess.unit);
  const std::string count = std::to_string(excess.count) + ".";
  if (excess.unit == excess.parameter) {
    return "A selection may name at most " + limit + "; this one names " + count;
  }
  return "The plugins of a selection may have at most " + limit + " together; these have " + count;
}

std::optional<Excess> excess_of(const SelectionRequest& request) {
  if (request.plugins.size() > kMaxPlugins) {
    return Excess{"plugins", "plugins", kMaxPlugins, request.plugins.size()};
  }
  if (!request.components) return std::nullopt;
  std::set<std::string_view> slugs;
  for (const Token& token : *request.components) slugs.insert(token.slug);
  if (slugs.size() <= kMaxComponents) return std::nullopt;
  return Excess{"components", "components", kMaxComponents, slugs.size()};
}

std::optional<Excess> excess_of_files(std::uint64_t files, std::uint64_t bytes) {
  if (bytes > kMaxPluginBytes) return Excess{"plugins", "bytes", kMaxPluginBytes, bytes};
  if (files > kMaxPluginFiles) return Excess{"plugins", "files", kMaxPluginFiles, files};
  return std::nullopt;
}

SelectionRequest parse_selection_request(std::optional<std::string_view> components,
                                         std::optional<std::string_view> plugins, bool optimized) {
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

}  // namespace goldsmith::creator
