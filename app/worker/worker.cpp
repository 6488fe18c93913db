#include "app/worker/worker.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::worker {
namespace {

archive::CacheRoom room_of(const sys::CacheConfig& config) {
  return {config.archive_bytes, config.free_bytes, config.handover};
}

service::FolderBudget::Bounds budget_of(const sys::CacheConfig& config) {
  return {config.artefact_bytes, config.free_bytes, service::is_artefact};
}

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
      toolchains_(environment.config.toolchains, environment.config.includes),
      toolchain_watch_(toolchains_),
      compiler_(environment.config.compile, environment.scratch, metrics_),
      seats_(environment.config.state.parent_path() / "seats"),
      shares_(seats_, [this] { return metrics_.pool_size(); }),
      ledger_(environment.config.state.parent_path() / "compiles"),
      compiles_({compiler_, ledger_, shares_, environment.clock}),
      depot_(environment.config.depot),
      archives_(environment.config.archive_cache, room_of(environment.config.cache)),
      compiled_plugins_budget_(environment.config.artefact_cache,
                               environment.config.state.parent_path() / "compiled_plugins",
                               budget_of(environment.config.cache)),
      compiled_plugins_(environment.config.artefact_cache, toolchains_, toolchain_watch_, compiles_,
                        compiled_plugins_budget_),
      plugin_index_(plugins_, counters_, environment.clock),
      downloads_(plugins_, download_log_, toolchains_, compiles_, environment.clock),
      catalog_(components_),
      digests_({build_store_, archives_, environment.clock},
               environment.config.state.parent_path() / "digests"),
      builds_({catalog_, plugins_, overlays_, depot_, archives_, compiled_plugins_, shares_,
               toolchain_watch_}),
      selections_({builds_, gate_, freshness_, errors_, fill_request(environment.config)}),
      handlers_(make_handlers(environment)),
      status_({environment.database, metrics_, freshness_, catalog_, depot_,
               fill_request(environment.config), access::DrainMark(environment.config.state)}),
      routes_({handlers_, freshness_, environment.state, toolchain_watch_, plugin_index_,
               environment.clock}),
      dispatcher_({gate_, status_, routes_, errors_, site_, metrics_}) {}

handlers::pages::PageHandlers Worker::make_pages(const Environment& environment) {
  using namespace handlers::pages;
  return {
      site_,
      PluginPages({plugins_, addons_, plugin_index_, freshness_, toolchain_watch_, site_}),
      AddonPages(addons_, site_),
      SourcePages(plugins_, site_),
      StatusPage({settings_, components_, catalog_, toolchains_, freshness_, site_}),
      ToolchainFiles({toolchains_, site_}),
      ServerPage({builds_, catalog_, plugin_index_, digests_, gate_, freshness_, site_}),
      handlers::documents::ServerDocuments({selections_, plugins_, gate_, urls_, site_, errors_}),
      LicensePage({catalog_, freshness_, site_}),
      FeedPages({plugins_, catalog_, freshness_, site_}),
      StandardPages({plugins_, addons_, plugin_index_, freshness_, environment.clock, site_})};
}

handlers::Handlers Worker::make_handlers(const Environment& environment) {
  using namespace handlers;
  return {MetaHandler(plugins_, urls_),
          PluginHandlers({plugin_index_, freshness_, toolchain_watch_, urls_, errors_}),
          PluginDownloadHandler({downloads_, gate_, environment.state, errors_}),
          AddonHandlers(addons_, urls_, errors_),
          CatalogHandlers(components_, urls_, errors_),
          BuildHandlers({builds_, selections_, digests_, gate_, metrics_, urls_, errors_,
                         environment.config.archives.redirect}),
          make_pages(environment)};
}

}  // namespace goldsmith::worker
