#include "db/indexed_rows.hpp"

#include <charconv>
#include <chrono>
#include <string>

#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

class Packed {
 public:
  Packed(const Rows& rows, unsigned column)
      : rows_(rows), column_(column), text_(rows.text(column)), rest_(text_) {}
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  std::int64_t number() {
    std::int64_t value = 0;
    const char* const begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - begin);
    if (error != std::errc{} || length == rest_.size()) refuse();
    rest_.remove_prefix(length + 1);
    return value;
  }

  std::string_view text(std::int64_t size) {
    if (size < 0 || static_cast<std::size_t>(size) > rest_.size()) refuse();
    const std::string_view text = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(text.size());
    return text;
  }

  domain::Slug slug(std::int64_t size) {
    return known(domain::Slug::parse(text(size)), rows_, column_, "slug");
  }

  std::optional<domain::Version> optional_version(std::int64_t size) {
    if (size == 0) return std::nullopt;
    return known(domain::Version::parse(text(size)), rows_, column_, "version");
  }

  std::string_view rest() const { return rest_; }

 private:
  [[noreturn]] void refuse() const { refuse_column(rows_, column_, "plugin"); }

  const Rows& rows_;
  unsigned column_;
  std::string text_;
  std::string_view rest_;
};

}  // namespace

IndexedPlugin read_indexed(const Rows& rows, unsigned column) {
  Packed packed(rows, column);
  IndexedPlugin plugin;
  domain::PluginSummary& summary = plugin.summary;
  plugin.id = packed.number();
  summary.rating.sum = packed.number();
  summary.rating.count = packed.number();
  summary.downloads = packed.number();
  summary.updated_at = domain::Timestamp(std::chrono::seconds(packed.number()));
  const std::int64_t slug = packed.number();
  const std::int64_t name = packed.number();
  const std::int64_t category = packed.number();
  const std::int64_t author = packed.number();
  const std::int64_t license = packed.number();
  const std::int64_t latest_version = packed.number();
  summary.slug = packed.slug(slug);
  summary.name = packed.text(name);
  summary.category = packed.slug(category);
  summary.author = packed.text(author);
  summary.license = packed.text(license);
  summary.latest_version = packed.optional_version(latest_version);
  plugin.search_text = packed.rest();
  return plugin;
}

}  // namespace goldsmith::db
