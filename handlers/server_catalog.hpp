// GET /v1/server-builder/meta and /v1/server-builder/components/{slug}.
#pragma once

#include "db/component_store.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class CatalogHandlers {
 public:
  CatalogHandlers(db::ComponentStore& components, const views::Urls& urls, const Errors& errors)
      : components_(components), urls_(urls), errors_(errors) {}

  http::Response show(const Call& call);
  http::Response show_component(const Call& call);

 private:
  db::ComponentStore& components_;
  const views::Urls& urls_;
  const Errors& errors_;
};

}  // namespace goldsmith::handlers
