#include "db/indexed_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <numeric>

#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

// No slug comes after it.
constexpr std::string_view kAfterAllSlugs = "~";

bool take_number(std::string_view& text, std::int64_t& number) {
  const char* const begin = text.data();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), number);
  const auto length = static_cast<std::size_t>(end - begin);
  if (error != std::errc{} || length == text.size()) return false;
  text.remove_prefix(length + 1);
  return true;
}

void check(const IndexedPlugin& plugin) {
  const std::string_view version = plugin.latest_version;
  if (!domain::Slug::is_legal(plugin.slug)) refuse_text(plugin.slug, "slug");
  if (!domain::Slug::is_legal(plugin.category)) refuse_text(plugin.category, "slug");
  if (!version.empty() && !domain::Version::is_legal(version)) refuse_text(version, "version");
}

}  // namespace

std::optional<IndexedPlugin> take_indexed(std::string_view& text) {
  IndexedPlugin plugin;
  std::int64_t updated_at = 0;
  for (std::int64_t* const number :
       {&plugin.id, &plugin.rating.sum, &plugin.rating.count, &plugin.downloads, &updated_at}) {
    if (!take_number(text, *number)) return std::nullopt;
  }
  plugin.updated_at = domain::Timestamp(std::chrono::seconds(updated_at));

  const std::array texts{&plugin.slug,       &plugin.name,    &plugin.category,
                         &plugin.author,     &plugin.license, &plugin.latest_version,
                         &plugin.search_text};
  std::array<std::int64_t, texts.size()> sizes{};
  for (std::int64_t& size : sizes) {
    if (!take_number(text, size)) return std::nullopt;
  }
  if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) > std::ssize(text)) {
    return std::nullopt;
  }
  for (std::size_t which = 0; which < texts.size(); ++which) {
    *texts[which] = text.substr(0, static_cast<std::size_t>(sizes[which]));
    text.remove_prefix(texts[which]->size());
  }
  check(plugin);
  return plugin;
}

bool IndexedPieces::next() {
  if (last_ == kAfterAllSlugs) return false;
  std::string end = end_of_piece();
  while (!read_until(end)) {
    if (size_ == 1) {
      throw Error(Error::Kind::other, "the plugin \"" + end +
                                          "\" is longer than the server's group_concat_max_len or"
                                          " max_allowed_packet");
    }
    size_ /= 2;
    end = end_of_piece();
  }
  last_ = end;
  return true;
}

std::string IndexedPieces::end_of_piece() {
  const auto rows = database_.query(
      "SELECT slug FROM plugins FORCE INDEX (plugins_slug) WHERE slug > ? ORDER BY slug"
      " LIMIT 1 OFFSET ?",
      {last_, size_ - 1});
  return rows->next() ? rows->text(1) : std::string(kAfterAllSlugs);
}

// False if the server has cut the text short.
bool IndexedPieces::read_until(const std::string& end) {
  // Without the hint the server would rather read all of a small directory for each piece. The
  // order is that of the index, but nothing promises it; ORDER BY costs the server a fifth.
  const std::string sql = "SELECT COUNT(*), GROUP_CONCAT(" + std::string(kIndexedText) +
                          " SEPARATOR '') FROM plugins p FORCE INDEX (plugins_slug)"
                          " LEFT JOIN plugin_counters c ON c.slug = p.slug"
                          " WHERE p.status = 'published' AND p.slug > ? AND p.slug <= ?";
  const auto row = database_.query(sql, {last_, end});
  row->next();
  text_ = row->text(2);
  plugins_.clear();
  std::string_view rest = text_;
  while (const auto plugin = take_indexed(rest)) plugins_.push_back(*plugin);
  if (std::ssize(plugins_) != row->integer(1)) return false;

  const auto by_slug = [](const IndexedPlugin& left, const IndexedPlugin& right) {
    return left.slug < right.slug;
  };
  if (!std::is_sorted(plugins_.begin(), plugins_.end(), by_slug)) {
    std::sort(plugins_.begin(), plugins_.end(), by_slug);
  }
  return true;
}

}  // namespace goldsmith::db
