// Pages of list responses. Numbers out of range are clamped (decision R5), and a list without items
// has no pages (decision P10).
#pragma once

#include <cstdint>

#include "app/http/request.hpp"
#include "app/json/value.hpp"

namespace goldsmith::handlers::views {

struct Page {
  std::int64_t number = 1;
  std::int64_t size = 24;

  std::int64_t offset() const { return (number - 1) * size; }
  std::int64_t count(std::int64_t total) const { return (total + size - 1) / size; }
};

inline Page read_page(const http::Query& query) {
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
