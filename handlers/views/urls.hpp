// The ready-made URLs that responses embed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/base/config.hpp"
#include "app/base/json.hpp"
#include "app/web/request.hpp"

namespace goldsmith::handlers::views {

// The path of a page, which below /v1 is that of the endpoint.
std::string plugin_path(std::string_view slug);
std::string addon_path(std::string_view slug);
// The path of a download in the API.
std::string download_path(std::string_view slug, std::string_view version, std::string_view kind);

class Urls {
 public:
  explicit Urls(const base::Config& config) : base_(config.base_url), site_(config.site_url) {}

  std::string docs() const { return site_ + "/docs"; }
  std::string plugin(std::string_view slug) const { return base_ + "/v1" + plugin_path(slug); }
  std::string plugin_page(std::string_view slug) const { return site_ + plugin_path(slug); }
  std::string plugin_download(std::string_view slug, std::string_view version,
                              std::string_view kind) const {
    return base_ + download_path(slug, version, kind);
  }
  std::string addon(std::string_view slug) const { return base_ + "/v1" + addon_path(slug); }
  std::string addon_page(std::string_view slug) const { return site_ + addon_path(slug); }
  std::string component(std::string_view slug) const;
  // `query` as creator::Plan has it.
  std::string server_page(std::string_view query = "") const;
  std::string server_download(std::string_view query) const;
  // "/server/checksums.txt?…" by the name of the document.
  std::string server_document(std::string_view name, std::string_view query) const;
  const std::string& site() const { return site_; }

 private:
  std::string base_;
  std::string site_;
};

// Pages of list responses. Numbers out of range are clamped (decision R5), and a list without items
// has no pages (decision P10).
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 24;

  std::int64_t offset() const { return (number - 1) * size; }
  std::int64_t count(std::int64_t total) const { return (total + size - 1) / size; }
};

inline Page read_page(const web::Query& query) {
  return {query.integer("page_n", 1, 1, 100'000), query.integer("per_page", 24, 1, 100)};
}

// `page`, `per_page`, `total`, `total_pages` and the items under their own name.
inline json::Object page_json(const Page& page, std::int64_t total, std::string name,
                              json::Array items) {
  return {{"page", page.number},
          {"per_page", page.size},
          {"total", total},
          {"total_pages", page.count(total)},
          {std::move(name), std::move(items)}};
}

}  // namespace goldsmith::handlers::views
