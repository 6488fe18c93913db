#include "app/service/depot_upkeep.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include "app/service/depot_workspace.hpp"
#include "app/sys/config_values.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::service {
namespace {

using Minutes = std::chrono::minutes;

constexpr Minutes kFirstInterval{5};
constexpr Minutes kLongestInterval{240};

// The interval that the latest request has written into its file.
Minutes interval_of(const std::filesystem::path& request_file) {
  const auto written = sys::parse_number(sys::trim_ascii(sys::read_file(request_file, 64)));
  const auto minutes = std::min<std::uint64_t>(written.value_or(0), kLongestInterval.count());
  return std::max(kFirstInterval, Minutes(minutes));
}

// The interval of the next request; std::nullopt while it is too early for one. A need that ended
// in between leaves a file that is older than two intervals.
std::optional<Minutes> next_interval(const std::filesystem::path& request_file) {
  using Clock = std::filesystem::file_time_type::clock;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(request_file, error);
  const auto age = Clock::now() - written;
  if (error || age < Clock::duration::zero()) return kFirstInterval;
  const Minutes interval = interval_of(request_file);
  if (age < interval) return std::nullopt;
  return age < 2 * interval ? std::min(2 * interval, kLongestInterval) : kFirstInterval;
}

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
    const std::optional<Minutes> interval = next_interval(request_file);
    if (interval) sys::write_atomically(request_file, std::to_string(interval->count()) + "\n");
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
