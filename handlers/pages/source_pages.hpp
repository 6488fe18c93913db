// /plugins/{slug}/{version}/{file}: a text file of a plugin, with line numbers. For the build pool,
// which may read sources.
#pragma once

#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class SourcePages {
 public:
  SourcePages(db::PluginStore& plugins, const Site& site) : plugins_(plugins), site_(site) {}

  http::Response show(const Call& call);

 private:
  db::PluginStore& plugins_;
  const Site& site_;
};

}  // namespace goldsmith::handlers::pages
