#include "app/service/offline_builds.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::service {

OfflineBuilds::OfflineBuilds(const sys::Config& config, const sys::Clock& clock,
                             db::Database& database)
    : own_(std::filesystem::temp_directory_path()),
      components_(database),
      plugins_(database, sys::fold_case),
      overlays_(database),
      toolchains_(config.toolchains, config.includes),
      watch_(toolchains_),
      compiler_(config.compile, own_.path()),
      seats_(own_.path() / "seats"),
      shares_(seats_, [] { return std::size_t{1}; }),
      ledger_(own_.path() / "compiles"),
      compiles_({compiler_, ledger_, shares_, clock}),
      depot_(config.depot),
      cache_(config.archive_cache),
      budget_(config.artefact_cache, own_.path() / "compiled_plugins",
              {config.cache.artefact_bytes, config.cache.free_bytes, is_artefact}),
      compiled_plugins_(config.artefact_cache, toolchains_, watch_, compiles_, budget_),
      catalog_(components_),
      builds_({catalog_, plugins_, overlays_, depot_, cache_, compiled_plugins_, shares_, watch_}) {
}

Resolved OfflineBuilds::resolve(const creator::SelectionRequest& request) {
  return builds_.resolve(request, std::nullopt, 0);
}

}  // namespace goldsmith::service
