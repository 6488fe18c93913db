#include "handlers/plugin_query.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::handlers {
namespace {

constexpr std::size_t kSearchCodePoints = 100;

// Bytes that are not UTF-8, and control characters, which no name can hold (decision R4).
bool can_match(std::string_view text) {
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  return domain::is_utf8(text) && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace

std::optional<db::PluginFilter> read_plugin_filter(std::optional<std::string_view> q,
                                                   std::optional<std::string_view> category) {
  db::PluginFilter filter;
  if (q) {
    if (!domain::is_utf8(*q)) return std::nullopt;
    const auto wanted = sys::first_code_points(sys::trim(*q), kSearchCodePoints);
    if (!can_match(wanted)) return std::nullopt;
    filter.folded_text = sys::fold_case(wanted);
  }
  if (category) {
    filter.category = domain::Slug::parse(*category);
    if (!filter.category) return std::nullopt;
  }
  return filter;
}

std::optional<db::PluginFilter> read_directory_filter(Services& services,
                                                      const http::Query& query) {
  auto filter = read_plugin_filter(query.get("q"), query.get("category"));
  const auto line = query.get("compiles_with");
  if (!filter || !line) return filter;
  filter->compiled_with = compiled_with(services, *line);
  return filter->compiled_with ? filter : std::nullopt;
}

std::optional<db::CompiledWith> compiled_with(Services& services, std::string_view line) {
  const auto& installed = services.compile_stack.watch.fingerprints();
  const auto toolchain = installed.find(std::string(line));
  if (toolchain == installed.end()) return std::nullopt;
  services.freshness.epoch();
  return db::CompiledWith{toolchain->first, toolchain->second, services.freshness.verdicts()};
}

}  // namespace goldsmith::handlers
