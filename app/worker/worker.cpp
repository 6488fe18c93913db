#include "app/worker/worker.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::worker {
namespace {

std::filesystem::path fill_request(const sys::Config& config) {
  return config.state.parent_path() / "depot-fill";
}

db::Database& reads_of(const Worker::Environment& environment) {
  return environment.replicas == nullptr ? environment.database : *environment.replicas;
}

}  // namespace

Worker::Worker(const Environment& environment)
    : metrics_(environment.config.state.parent_path() / "metrics"),
      urls_(environment.config),
      errors_(urls_.docs(), metrics_),
      site_(environment.config),
      plugins_(reads_of(environment), sys::fold_case),
      counters_(environment.database, sys::fold_case),
      addons_(reads_of(environment)),
      components_(reads_of(environment)),
      overlays_(reads_of(environment)),
      build_store_(environment.database),
      download_log_(environment.database),
      settings_(environment.database),
      keys_(environment.database),
      freshness_(environment.state, environment.database, environment.clock),
      gate_({freshness_, settings_, keys_, environment.windows, environment.clock}),
      compiler_(environment.config.compile, environment.scratch, metrics_),
      compile_(environment.config, environment.config.state.parent_path(), environment.clock,
               compiler_, [this] { return metrics_.pool_size(); }),
      depot_(environment.config.depot),
      archives_(archive::archive_folder(environment.config)),
      compiled_plugins_(compile_, service::artefact_folder(environment.config),
                        environment.config.state.parent_path() / "compiled_plugins"),
      plugin_index_(plugins_, counters_, environment.clock),
      downloads_(plugins_, download_log_, compile_.toolchains, compile_.compiles,
                 environment.clock),
      catalog_(components_),
      digests_({build_store_, archives_, environment.clock},
               environment.config.state.parent_path() / "digests"),
      builds_({catalog_, plugins_, overlays_, depot_, archives_, compiled_plugins_, compile_.limits,
               compile_.watch}),
      selections_({builds_, gate_, freshness_, errors_, fill_request(environment.config)}),
      handlers_(make_handlers(environment)),
      status_({environment.database, metrics_, freshness_, catalog_, depot_,
               fill_request(environment.config), access::DrainMark(environment.config.state)}),
      routes_({handlers_, freshness_, environment.state, compile_.watch, plugin_index_,
               environment.clock}),
      dispatcher_({gate_, status_, routes_, compile_.limits, errors_, site_, metrics_}) {}

handlers::pages::PageHandlers Worker::make_pages(const Environment& environment) {
  using namespace handlers::pages;
  return {
      site_,
      PluginPages({plugins_, addons_, plugin_index_, freshness_, compile_.watch, site_}),
      AddonPages(addons_, site_),
      SourcePages(plugins_, site_),
      StatusPage({settings_, components_, catalog_, compile_.toolchains, freshness_, site_}),
      ToolchainFiles({compile_.toolchains, site_}),
      ServerPage({builds_, catalog_, plugin_index_, digests_, gate_, freshness_, site_}),
      handlers::documents::ServerDocuments({selections_, plugins_, gate_, urls_, site_, errors_}),
      LicensePage({catalog_, freshness_, site_}),
      FeedPages({plugins_, catalog_, freshness_, site_}),
      StandardPages({plugins_, addons_, plugin_index_, freshness_, environment.clock, site_})};
}

handlers::Handlers Worker::make_handlers(const Environment& environment) {
  using namespace handlers;
  return {MetaHandler(plugins_, urls_),
          PluginHandlers({plugin_index_, freshness_, compile_.watch, urls_, errors_}),
          PluginDownloadHandler({downloads_, gate_, environment.state, errors_}),
          AddonHandlers(addons_, urls_, errors_),
          CatalogHandlers(components_, urls_, errors_),
          BuildHandlers({builds_, selections_, digests_, gate_, metrics_, urls_, errors_,
                         environment.config.archives.redirect}),
          make_pages(environment)};
}

}  // namespace goldsmith::worker
