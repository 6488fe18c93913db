#include "app/archive/depot_upkeep.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::archive {

namespace {

using Minutes = std::chrono::minutes;

constexpr Minutes kFirstInterval{5};
constexpr Minutes kLongestInterval{240};

// The interval that the latest request has written into its file.
Minutes interval_of(const std::filesystem::path& request_file) {
  const auto written = base::parse_number(base::trim_ascii(base::read_file(request_file, 64)));
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

namespace fs = std::filesystem;

constexpr const char* kRecord = ".verified";
constexpr const char* kDamaged = ".damaged";

// `to` is in a folder of a folder of `root`. They are on the disk before the file moves there, for
// it may be the only copy. Throws base::FileError.
void rename_file(const fs::path& from, const fs::path& to, const fs::path& root) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) throw base::FileError(to.parent_path(), "can't be created", error.value());
  base::sync_directory(root);
  base::sync_directory(to.parent_path().parent_path());
  // From now on its age is the time for which it has been there.
  fs::last_write_time(from, fs::file_time_type::clock::now(), error);
  fs::rename(from, to, error);
  if (error) throw base::FileError(from, "can't be renamed to " + to.string(), error.value());
  base::sync_directory(to.parent_path());
  base::sync_directory(from.parent_path());
}

// What damaged files of missing versions are called, below the depot.
std::set<fs::path> names_of_missing(const domain::Catalog& catalog, const Depot& depot) {
  std::set<fs::path> names;
  for (const auto& [component, version] : find_missing(catalog, depot)) {
    const fs::path file = depot.file_of(component->slug, version->version, version->digest);
    names.insert(file.lexically_relative(depot.root()));
    names.insert(fs::path(component->slug.str()) / (version->version + ".zip"));
  }
  return names;
}

bool is_older(const fs::path& file, std::chrono::seconds grace) {
  std::error_code error;
  const auto since = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - since > grace;
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
    if (interval) host::write_shared(request_file, std::to_string(interval->count()) + "\n");
  } catch (const std::exception&) {
  }
}

std::optional<DepotVerification> last_verification(const Depot& depot) {
  constexpr std::size_t kTime = 19;
  std::string text;
  try {
    text = base::read_file(depot.root() / kRecord, 256);
  } catch (const base::FileError& error) {
    if (error.error_number() == ENOENT) return std::nullopt;
    throw;
  }
  const std::string_view line = base::trim_ascii(text);
  const auto ended_at = domain::parse_timestamp(line.substr(0, kTime));
  const auto damaged =
      base::parse_number(base::trim_ascii(line.substr(std::min(kTime, line.size()))));
  if (!ended_at || !damaged) return std::nullopt;
  return DepotVerification{*ended_at, *damaged};
}

void record_verification(const Depot& depot, const DepotVerification& verification) {
  base::write_atomically(depot.root() / kRecord,
                         fmt::format("{} {}\n", domain::format_timestamp(verification.ended_at),
                                     verification.damaged));
}

std::optional<fs::path> set_aside(const Depot& depot, const fs::path& file, ino_t inode) {
  const DepotLock lock(depot.root());
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || status.st_ino != inode) return std::nullopt;
  fs::path target = depot.root() / kDamaged / file.lexically_relative(depot.root());
  rename_file(file, target, depot.root());
  return target;
}

std::vector<fs::path> collect_damaged(const domain::Catalog& catalog, const Depot& depot,
                                      std::chrono::seconds grace, RemovalMode mode) {
  const DepotLock lock(depot.root());
  const fs::path folder = depot.root() / kDamaged;
  const std::set<fs::path> needed = names_of_missing(catalog, depot);
  std::error_code error;
  std::vector<fs::path> collected;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && is_older(entry.path(), grace) &&
        !needed.contains(entry.path().lexically_relative(folder))) {
      collected.push_back(entry.path());
    }
  }
  if (mode == RemovalMode::dry_run) return collected;
  for (const fs::path& file : collected) {
    if (!fs::remove(file, error)) throw base::FileError(file, "can't be removed", error.value());
    // The last one takes its folders along.
    if (fs::remove(file.parent_path(), error)) fs::remove(folder, error);
  }
  return collected;
}

}  // namespace goldsmith::archive
