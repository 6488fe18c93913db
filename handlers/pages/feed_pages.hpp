// Atom feeds (RFC 4287).
#pragma once

#include "app/access/freshness.hpp"
#include "app/service/catalog_cache.hpp"
#include "db/plugin_store.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class FeedPages {
 public:
  struct Dependencies {
    db::PluginStore& plugins;
    service::CatalogCache& catalog;
    access::Freshness& freshness;
    const Site& site;
  };
  explicit FeedPages(Dependencies dependencies) : dependencies_(dependencies) {}

  http::Response plugins(const Call& call);     // the last 50 published versions
  http::Response plugin(const Call& call);      // those of one plugin
  http::Response components(const Call& call);  // the last 50 mirrored versions, by release

 private:
  struct Entry {
    std::string id;
    std::string url;
    std::string title;
    std::string author;
    std::string summary;
    domain::Timestamp time{};
  };
  http::Response feed(const std::string& path, const std::string& about, const std::string& title,
                      const std::vector<Entry>& entries) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::pages
