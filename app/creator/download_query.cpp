#include "app/creator/download_query.hpp"

#include <string_view>

#include "app/sys/text.hpp"

namespace goldsmith::creator {
namespace {

// Legal in a query, and easier to read than their codes.
constexpr std::string_view kPlain = ",@";

void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ',';
  list += item;
}

std::string encoded(std::string_view name, const std::string& list) {
  return std::string(name) + "=" + sys::percent_encode(list, kPlain);
}

// "components=…&plugins=…&optimized=1" of what there is.
std::string joined(std::string query, const SelectionRequest& request) {
  const auto add = [&](const std::string& parameter) {
    if (!query.empty()) query += '&';
    query += parameter;
  };
  std::string plugins;
  for (const std::string& slug : request.plugins) append(plugins, slug);
  if (!plugins.empty()) add(encoded("plugins", plugins));
  if (request.optimized) add("optimized=1");
  return query;
}

}  // namespace

std::string download_query(const SelectionRequest& request, const Selection& selection) {
  std::string components;
  for (const Selected& selected : selection.components) {
    if (selected.bundled) continue;
    append(components, selected.component->slug + "@" + selected.version->version);
  }
  return joined(encoded("components", components), request);
}

std::string request_query(const SelectionRequest& request) {
  if (!request.components) return joined("", request);
  std::string components;
  for (const Token& token : *request.components) {
    append(components, token.version.empty() ? token.slug : token.slug + "@" + token.version);
  }
  return joined(encoded("components", components), request);
}

}  // namespace goldsmith::creator
