// /, /plugins and /plugins/{slug}.
#pragma once

#include "app/access/freshness.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/toolchain_watch.hpp"
#include "db/addon_store.hpp"
#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class PluginPages {
 public:
  struct Dependencies {
    db::PluginStore& plugins;
    db::AddonStore& addons;
    service::PluginIndex& index;
    access::Freshness& freshness;
    const service::ToolchainWatch& toolchains;
    const Site& site;
  };
  explicit PluginPages(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response home(const Call& call);
  http::Response directory(const Call& call);
  http::Response show(const Call& call);

 private:
  json::Array categories(std::string_view chosen, const std::string& text);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::pages
