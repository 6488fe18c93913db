// GET /v1/addons and /v1/addons/{slug}.
#pragma once

#include "db/addon_store.hpp"
#include "handlers/call.hpp"
#include "handlers/errors.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class AddonHandlers {
 public:
  AddonHandlers(db::AddonStore& addons, const views::Urls& urls, const Errors& errors)
      : addons_(addons), urls_(urls), errors_(errors) {}

  http::Response list(const Call& call);
  http::Response show(const Call& call);

 private:
  db::AddonStore& addons_;
  const views::Urls& urls_;
  const Errors& errors_;
};

}  // namespace goldsmith::handlers
