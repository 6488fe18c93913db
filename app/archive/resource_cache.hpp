// What game clients download (decision O22): files of builds, inflated once and kept by content,
// `<archive cache>/resources/<SHA-256>`. A link of ResourceLinks leads to the content, so that
// nginx finds what was asked for before without a worker; one whose content was removed leads
// nowhere, and the next request makes it good. What the contents take is counted in
// `fastdl/.contents`, so that the folder need not be listed for each new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/archive/cache_folder.hpp"
#include "app/archive/resource_links.hpp"
#include "app/base/config.hpp"

namespace goldsmith::archive {

// The contents as a folder of files, with the limits that are configured.
CacheFolder resource_folder(const base::Config& config);

class ResourceCache {
 public:
  explicit ResourceCache(CacheFolder folder) : folder_(std::move(folder)), links_(folder_) {}
  ResourceCache(const ResourceCache&) = delete;
  ResourceCache& operator=(const ResourceCache&) = delete;

  // The largest file that is kept: more than any map, and little enough for the memory of a worker.
  static constexpr std::uint64_t kLargest = 64U << 20;

  const ResourceLinks& links() const { return links_; }

  // Makes `path` of the build lead to the content with that SHA-256, in hex, which `read` returns
  // unless it is kept; "" = not known before it is read. The content stays for
  // CacheLimits::handover, so that nginx can open it. `build_hash` and `path` are those of a plan.
  // Throws domain::Failure if there is no room, ZipError if `read` returns another content,
  // base::FileError, and what `read` throws.
  void provide(std::string_view build_hash, std::string_view path, std::string sha256,
               const std::function<std::string()>& read) const;

 private:
  std::optional<std::string> make_room(std::uint64_t bytes) const;
  void keep(const std::filesystem::path& file, std::string_view content) const;

  CacheFolder folder_;
  ResourceLinks links_;
};

}  // namespace goldsmith::archive
