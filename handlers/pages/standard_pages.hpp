// Files that programs look for at fixed places, and the assets of the pages.
#pragma once

#include "app/access/freshness.hpp"
#include "app/service/plugin_index.hpp"
#include "app/sys/clock.hpp"
#include "db/addon_store.hpp"
#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class StandardPages {
 public:
  struct Dependencies {
    db::PluginStore& plugins;
    db::AddonStore& addons;
    service::PluginIndex& index;
    access::Freshness& freshness;
    const sys::Clock& clock;
    const Site& site;
  };
  explicit StandardPages(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response docs(const Call& call);          // /docs
  http::Response client_types(const Call& call);  // /docs/api.d.ts
  http::Response examples(const Call& call);      // /docs/examples/, which /docs lists
  http::Response example(const Call& call);       // /docs/examples/{name}
  http::Response asset(const Call& call);         // /assets/{version}/{name}
  http::Response style_sheet(const Call& call);   // /style.css, for the error pages of nginx
  http::Response icon(const Call& call);          // /favicon.svg and .ico
  http::Response robots(const Call& call);
  http::Response sitemap(const Call& call);
  http::Response security(const Call& call);  // RFC 9116; 404 without a contact
  http::Response security_policy(
      const Call& call);  // /docs/SECURITY.md, to which security.txt leads
  http::Response search_description(const Call& call);

 private:
  http::Response sitemap_index(std::int64_t parts) const;
  http::Response asset_named(std::string_view version, std::string_view name) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::pages
