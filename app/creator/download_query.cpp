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

}  // namespace

std::string download_query(const SelectionRequest& request, const Selection& selection) {
  std::string components;
  for (const Selected& selected : selection.components) {
    if (selected.bundled) continue;
    append(components, selected.component->slug + "@" + selected.version->version);
  }
  std::string plugins;
  for (const std::string& slug : request.plugins) append(plugins, slug);

  std::string query = "components=" + sys::percent_encode(components, kPlain);
  if (!plugins.empty()) query += "&plugins=" + sys::percent_encode(plugins, kPlain);
  if (request.optimized) query += "&optimized=1";
  return query;
}

}  // namespace goldsmith::creator
