#include "app/creator/download_query.hpp"

#include <string_view>

namespace goldsmith::creator {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,@";

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char byte : text) {
    if (kPlain.find(byte) != std::string_view::npos) {
      result += byte;
      continue;
    }
    const auto value = static_cast<unsigned char>(byte);
    result += '%';
    result += kDigits[value >> 4U];
    result += kDigits[value & 0x0FU];
  }
  return result;
}

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

  std::string query = "components=" + encoded(components);
  if (!plugins.empty()) query += "&plugins=" + encoded(plugins);
  if (request.optimized) query += "&optimized=1";
  return query;
}

}  // namespace goldsmith::creator
