// /addons and /addons/{slug}.
#pragma once

#include "db/addon_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class AddonPages {
 public:
  AddonPages(db::AddonStore& addons, const Site& site) : addons_(addons), site_(site) {}

  http::Response list(const Call& call);
  http::Response show(const Call& call);

 private:
  db::AddonStore& addons_;
  const Site& site_;
};

}  // namespace goldsmith::handlers::pages
