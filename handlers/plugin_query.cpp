#include "handlers/plugin_query.hpp"

#include <algorithm>
#include <utility>

#include "app/domain/names.hpp"
#include "app/service/word_index.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::handlers {
namespace {

constexpr std::size_t kSearchCodePoints = 100;

// The part of a text to search for that counts (decision R6); std::nullopt if it can match nothing:
// bytes that are not UTF-8, and control characters, which no text about a plugin holds (decision
// R4).
std::optional<std::string_view> wanted(std::string_view text) {
  if (!domain::is_utf8(text)) return std::nullopt;
  const auto start = sys::first_code_points(sys::trim(text), kSearchCodePoints);
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  if (std::any_of(start.begin(), start.end(), is_control)) return std::nullopt;
  return start;
}

}  // namespace

std::optional<db::PluginFilter> search_filter(std::optional<std::string_view> search) {
  db::PluginFilter filter;
  if (!search) return filter;
  const auto text = wanted(*search);
  if (!text) return std::nullopt;
  const std::string words = sys::folded_words(*text);
  if (words.empty() && !text->empty()) return std::nullopt;
  for (const std::string_view word : sys::split(words, ' ')) {
    if (word.empty() || filter.words.size() == service::WordIndex::kMostWords) break;
    filter.words.emplace_back(word);
  }
  return filter;
}

std::optional<db::PluginFilter> narrowed(db::PluginFilter filter, Services& services,
                                         const http::Query& query) {
  if (const auto category = query.get("category")) {
    filter.category = domain::Slug::parse(*category);
    if (!filter.category) return std::nullopt;
  }
  if (const auto line = query.get("compiles_with")) {
    filter.compiled_with = compiled_with(services, *line);
    if (!filter.compiled_with) return std::nullopt;
  }
  return filter;
}

std::optional<db::PluginFilter> read_plugin_filter(Services& services, const http::Query& query) {
  auto filter = search_filter(query.get("search"));
  const auto q = wanted(query.get("q").value_or(""));
  if (!filter || !q) return std::nullopt;
  filter->folded_text = sys::fold_case(*q);
  return narrowed(*std::move(filter), services, query);
}

std::optional<db::CompiledWith> compiled_with(Services& services, std::string_view line) {
  const auto& installed = services.compile_stack.watch.fingerprints();
  const auto toolchain = installed.find(std::string(line));
  if (toolchain == installed.end()) return std::nullopt;
  services.freshness.epoch();
  return db::CompiledWith{toolchain->first, toolchain->second, services.freshness.verdicts()};
}

}  // namespace goldsmith::handlers
