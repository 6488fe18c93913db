// GET /v1/meta.
#pragma once

#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers {

class MetaHandler {
 public:
  MetaHandler(db::PluginStore& plugins, const views::Urls& urls) : plugins_(plugins), urls_(urls) {}

  http::Response show(const Call& call);

 private:
  db::PluginStore& plugins_;
  const views::Urls& urls_;
};

}  // namespace goldsmith::handlers
