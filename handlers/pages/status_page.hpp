// /status: what works at the moment. For the build pool, which sees the toolchains.
#pragma once

#include "app/access/freshness.hpp"
#include "app/compile/toolchain.hpp"
#include "app/service/catalog_cache.hpp"
#include "db/component_store.hpp"
#include "db/setting_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class StatusPage {
 public:
  struct Dependencies {
    db::SettingStore& settings;
    db::ComponentStore& components;
    service::CatalogCache& catalog;
    const compile::Toolchains& toolchains;
    access::Freshness& freshness;
    const Site& site;
  };
  explicit StatusPage(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response show(const Call& call);

 private:
  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::pages
