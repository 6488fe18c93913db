#include "app/archive/resource_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuilds = "fastdl";  // as in the address, so that nginx maps one to the other
// One at a time is made, under the lock of the folder.
constexpr const char* kNewLink = ".link";

CachedFileKind kind_of_resource(const fs::path& file) {
  if (base::is_temporary(file)) return CachedFileKind::unfinished;
  return base::is_sha256_hex(file.filename().string()) ? CachedFileKind::finished
                                                       : CachedFileKind::stray;
}

void verify_resource(const fs::path& file) {
  if (base::sha256_hex(base::read_file(file, ResourceCache::kLargest)) != file.filename()) {
    throw ZipError(file.string() + ": its content is not that of its name");
  }
}

// Writing one takes less than a second: an older temporary file belonged to a killed worker.
constexpr CacheFormat kResourceFormat{"resources", kind_of_resource, verify_resource,
                                      std::chrono::hours(1)};

// Each folder that is missing, open to nginx whatever the umask is.
void make_folders(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  make_folders(folder.parent_path());
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    throw base::FileError(folder, "can't be created", errno);
  }
  base::open_to_all(folder);
}

// That nobody followed it for so long, or that it leads nowhere. Looking where it leads counts as
// following it, so that its time is put back.
bool is_useless(const fs::path& link, std::chrono::seconds unused) {
  struct stat status{};
  if (::lstat(link.c_str(), &status) != 0) return false;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::chrono::seconds age =
      std::chrono::floor<std::chrono::seconds>(now) - std::chrono::seconds(status.st_atim.tv_sec);
  if (age > unused) return true;
  struct stat target{};
  if (::stat(link.c_str(), &target) != 0 && errno == ENOENT) return true;
  const timespec times[] = {status.st_atim, {0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, link.c_str(), times, AT_SYMLINK_NOFOLLOW);
  return false;
}

// What is neither a folder nor a link is not goldsmith's and stays.
void prune_folder(const fs::path& folder, std::chrono::seconds unused) {
  std::vector<fs::path> links;
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_symlink()) {
      if (is_useless(entry.path(), unused)) links.push_back(entry.path());
    } else if (entry.is_directory()) {
      folders.push_back(entry.path());
    }
  }
  for (const fs::path& link : links) ::unlink(link.c_str());
  for (const fs::path& each : folders) {
    prune_folder(each, unused);
    ::rmdir(each.c_str());  // if it is empty
  }
}

}  // namespace

CacheFolder resource_folder(const base::Config& config) {
  const base::CacheConfig& cache = config.cache;
  return {config.archive_cache / "resources",
          kResourceFormat,
          {cache.resource_bytes, cache.free_bytes, cache.handover, cache.unused}};
}

void prune_resource_links(const CacheFolder& folder) {
  const fs::path builds = folder.path() / kBuilds;
  std::error_code error;
  if (!fs::is_directory(builds, error)) return;
  for (const fs::directory_entry& build : fs::directory_iterator(builds)) {
    if (build.is_symlink() || !build.is_directory()) continue;
    // For each, so that a worker waits for one.
    const base::UniqueFd lock = folder.lock();
    prune_folder(build.path(), folder.limits().unused);
    ::rmdir(build.path().c_str());
  }
}

bool ResourceCache::knows(std::string_view build_hash) const {
  std::error_code error;
  return fs::is_directory(folder_.path() / kBuilds / build_hash, error);
}

void ResourceCache::provide(std::string_view build_hash, std::string_view path, std::string sha256,
                            const std::function<std::string()>& read) const {
  make_folders(folder_.path());
  if (sha256.empty() || !use_cached(folder_.path() / sha256)) {
    const std::string content = read();
    std::string digest = base::sha256_hex(content);
    if (!sha256.empty() && digest != sha256) {
      throw ZipError(std::string(path) + ": its content is not what the build was planned with");
    }
    sha256 = std::move(digest);
    const fs::path file = folder_.path() / sha256;
    if (!use_cached(file)) keep(file, content);
  }
  link(build_hash, path, sha256);
}

// Workers that do this at the same time may exceed the limit by one file each, until the next.
void ResourceCache::keep(const fs::path& file, std::string_view content) const {
  {
    CacheFolder::Room room(folder_, folder_.lock());
    if (auto cause = room.make(content.size())) throw no_room(std::move(*cause));
  }
  base::write_atomically(file, content);
  base::mark_used(file);
}

void ResourceCache::link(std::string_view build_hash, std::string_view path,
                         const std::string& sha256) const {
  const fs::path link = folder_.path() / kBuilds / build_hash / path;
  fs::path target = "../..";  // of fastdl/HASH/
  for (auto left = std::count(path.begin(), path.end(), '/'); left > 0; --left) target /= "..";
  target /= sha256;
  const base::UniqueFd lock = folder_.lock();
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return;
  make_folders(link.parent_path());
  const fs::path made = folder_.path() / kNewLink;
  ::unlink(made.c_str());  // of a killed worker
  if (::symlink(target.c_str(), made.c_str()) != 0) {
    throw base::FileError(made, "can't be created", errno);
  }
  if (::rename(made.c_str(), link.c_str()) != 0) {
    throw base::FileError(link, "can't be created", errno);
  }
}

}  // namespace goldsmith::archive
