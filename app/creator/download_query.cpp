#include "app/creator/download_query.hpp"

#include <string_view>
#include <vector>

#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

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
  if (!request.plugins.empty()) add("plugins", request.plugins);
  if (request.optimized) parameters.emplace_back("optimized=1");
  return sys::join(parameters, "&");
}

}  // namespace

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
  for (const Token& token : *request.components) {
    components.push_back(token.version.empty() ? token.slug : token.slug + "@" + token.version);
  }
  return query_of(components, request);
}

}  // namespace goldsmith::creator
