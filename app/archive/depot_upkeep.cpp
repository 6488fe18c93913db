#include "app/archive/depot_upkeep.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include "app/sys/file.hpp"
#include "app/sys/shared_file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::archive {
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
  if (std::filesystem::file_size(request_file, error) == 0) return kFirstInterval;  // none so far
  const Minutes interval = interval_of(request_file);
  if (age < interval) return std::nullopt;
  return age < 2 * interval ? std::min(2 * interval, kLongestInterval) : kFirstInterval;
}

}  // namespace

std::vector<MissingVersion> find_missing(const domain::Catalog& catalog, const Depot& depot) {
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
    if (interval) sys::write_shared(request_file, std::to_string(interval->count()) + "\n");
  } catch (const std::exception&) {
  }
}

}  // namespace goldsmith::archive
