// /server: the server creator as a form. With JavaScript, assets/creator.js fetches this page after
// each change and shows what differs. For the build pool: it resolves, which may compile.
#pragma once

#include "app/access/freshness.hpp"
#include "app/access/gate.hpp"
#include "app/service/archive_digests.hpp"
#include "app/service/catalog_cache.hpp"
#include "app/service/plugin_index.hpp"
#include "app/service/server_builds.hpp"
#include "handlers/call.hpp"
#include "handlers/pages/creator_choice.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {

class ServerPage {
 public:
  struct Dependencies {
    service::ServerBuilds& builds;
    service::CatalogCache& catalog;
    service::PluginIndex& index;
    service::ArchiveDigests& digests;
    access::Gate& gate;
    access::Freshness& freshness;
    const Site& site;
  };
  explicit ServerPage(Dependencies dependencies) : dependencies_(dependencies) {}

  // Always 200: what stands in the way of a build is shown.
  http::Response show(const Call& call);
  // The address that the API named once: 308.
  http::Response moved(const Call& call);

 private:
  // Adds what came of the choice; false if it may come out otherwise in a moment.
  bool add_result(const Call& call, const Choice& choice, const domain::Catalog& catalog,
                  json::Object& model);
  bool add_plan(const Call& call, const Choice& choice, const creator::Plan& plan,
                json::Object& model);
  // The text that an edited file replaces.
  std::optional<std::string> original_of(const creator::PlannedFile& file,
                                         creator::SelectionRequest request) const;
  json::Object preview_json(const creator::Plan& plan, const creator::PlannedFile& file,
                            const Choice& choice) const;
  json::Array chosen_plugins(const Choice& choice);
  json::Array found_plugins(const http::Query& query, const Choice& choice);

  Dependencies dependencies_;
};

}  // namespace goldsmith::handlers::pages
