// /licenses: under which licences the components are and what they were made from, with the texts.
#pragma once

#include <set>

#include "app/access/freshness.hpp"
#include "app/service/catalog_cache.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class LicensePage {
 public:
  struct Dependencies {
    service::CatalogCache& catalog;
    access::Freshness& freshness;
    const Site& site;
  };
  explicit LicensePage(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response show(const Call& call);

 private:
  json::Object component_json(const domain::Component& component);

  Dependencies dependencies_;
};

// The text of a license of SPDX's list; "" if it is not part of the program.
std::string_view license_text(std::string_view id);

}  // namespace goldsmith::handlers::pages
