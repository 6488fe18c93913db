#include "app/archive/depot_verification.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <set>
#include <string>
#include <system_error>

#include "app/archive/depot_workspace.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = ".verified";
constexpr const char* kDamaged = ".damaged";

// `to` is in a folder of a folder of `root`. They are on the disk before the file moves there, for
// it may be the only copy. Throws sys::FileError.
void rename_file(const fs::path& from, const fs::path& to, const fs::path& root) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) throw sys::FileError(to.parent_path(), "can't be created", error.value());
  sys::sync_directory(root);
  sys::sync_directory(to.parent_path().parent_path());
  // From now on its age is the time for which it has been there.
  fs::last_write_time(from, fs::file_time_type::clock::now(), error);
  fs::rename(from, to, error);
  if (error) throw sys::FileError(from, "can't be renamed to " + to.string(), error.value());
  sys::sync_directory(to.parent_path());
  sys::sync_directory(from.parent_path());
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

std::optional<DepotVerification> last_verification(const Depot& depot) {
  constexpr std::size_t kTime = 19;
  std::string text;
  try {
    text = sys::read_file(depot.root() / kRecord, 256);
  } catch (const sys::FileError& error) {
    if (error.error_number() == ENOENT) return std::nullopt;
    throw;
  }
  const std::string_view line = sys::trim_ascii(text);
  const auto ended_at = domain::parse_timestamp(line.substr(0, kTime));
  const auto damaged =
      sys::parse_number(sys::trim_ascii(line.substr(std::min(kTime, line.size()))));
  if (!ended_at || !damaged) return std::nullopt;
  return DepotVerification{*ended_at, *damaged};
}

void record_verification(const Depot& depot, const DepotVerification& verification) {
  sys::write_atomically(depot.root() / kRecord, domain::format_timestamp(verification.ended_at) +
                                                    ' ' + std::to_string(verification.damaged) +
                                                    '\n');
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
    if (!fs::remove(file, error)) throw sys::FileError(file, "can't be removed", error.value());
    // The last one takes its folders along.
    if (fs::remove(file.parent_path(), error)) fs::remove(folder, error);
  }
  return collected;
}

}  // namespace goldsmith::archive
