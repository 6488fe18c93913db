#include "app/service/offline_builds.hpp"

namespace goldsmith::service {

OfflineBuilds::OfflineBuilds(const sys::Config& config, const sys::Clock& clock,
                             db::Database& database)
    : own_(std::filesystem::temp_directory_path()),
      components_(database),
      plugins_(database),
      overlays_(database),
      compiler_(config.compile, own_.path()),
      compile_(config, own_.path(), clock, compiler_, [] { return std::size_t{1}; }),
      depot_(config.depot),
      cache_(config.archive_cache),
      compiled_plugins_(compile_, artefact_folder(config), own_.path() / "compiled_plugins"),
      catalog_(components_),
      builds_({catalog_, plugins_, overlays_, depot_, cache_, compiled_plugins_, compile_.limits,
               compile_.watch}) {}

Resolved OfflineBuilds::resolve(const creator::SelectionRequest& request) {
  return builds_.resolve(request, std::nullopt, 0);
}

}  // namespace goldsmith::service
