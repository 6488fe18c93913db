#include "app/archive/resource_cache.hpp"

#include <chrono>
#include <utility>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

CacheFolder resource_folder(const base::Config& config) {
  CacheLimits limits = configured_limits(config.cache, config.cache.resource_bytes);
  limits.inodes /= 2;  // the other half is for what leads to them
  return {config.archive_cache / "resources", kResourceFormat, limits};
}

void ResourceCache::provide(std::string_view build_hash, std::string_view path, std::string sha256,
                            const std::function<std::string()>& read) const {
  links_.make_folder();
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
  links_.make(build_hash, path, sha256);
}

// Workers that do this at the same time may exceed the limit by one file each, until the next.
void ResourceCache::keep(const fs::path& file, std::string_view content) const {
  const auto shortage = [&] {
    return CacheFolder::Room(folder_, folder_.lock()).make(content.size());
  };
  auto cause = shortage();
  if (cause && links_.trim()) cause = shortage();
  if (cause) throw no_room(std::move(*cause));
  base::write_atomically(file, content);
  base::mark_used(file);
}

}  // namespace goldsmith::archive
