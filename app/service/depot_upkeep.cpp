#include "app/service/depot_upkeep.hpp"

#include <system_error>

#include "app/service/depot_workspace.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

constexpr std::chrono::minutes kRequestInterval{5};

}  // namespace

std::vector<MissingVersion> find_missing(const domain::Catalog& catalog,
                                         const archive::Depot& depot) {
  std::vector<MissingVersion> missing;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!depot.find(component.slug, version.version, version.digest)) {
        missing.push_back({&component, &version});
      }
    }
  }
  return missing;
}

std::size_t count_versions(const domain::Catalog& catalog) {
  std::size_t count = 0;
  for (const domain::Component& component : catalog.components()) {
    count += component.versions.size();
  }
  return count;
}

void request_fill(const std::filesystem::path& request_file) noexcept {
  try {
    using Clock = std::filesystem::file_time_type::clock;
    std::error_code error;
    const auto written = std::filesystem::last_write_time(request_file, error);
    const auto age = Clock::now() - written;
    if (!error && age >= Clock::duration::zero() && age < kRequestInterval) return;
    sys::write_atomically(request_file, "the depot lacks files\n");
  } catch (const std::exception&) {
  }
}

std::vector<db::SupersededFile> collect_superseded(db::ComponentStore& components,
                                                   const archive::Depot& depot,
                                                   std::chrono::seconds grace, CollectMode mode) {
  const DepotLock lock(depot.root());
  std::vector<db::SupersededFile> collected;
  for (db::SupersededFile& file : components.superseded(grace)) {
    const bool was_there = mode == CollectMode::remove
                               ? depot.remove(file.slug, file.version, file.digest)
                               : depot.find(file.slug, file.version, file.digest).has_value();
    if (was_there) collected.push_back(std::move(file));
  }
  if (mode == CollectMode::remove) components.forget_superseded(kSupersededMemory);
  return collected;
}

}  // namespace goldsmith::service
