// What leads from the addresses of game clients to the contents that are kept for them
// (ResourceCache): a link `fastdl/<name>/<path>` in the folder of the contents, where the name is
// the hash of a build or the id of a selection. What is said of builds below is true of both.
//
// An author of plugins decides how many links and folders a build has, so they are counted like
// everything else that the cache has on its disk: those of each build in
// `fastdl/<build hash>.inodes`, the sum in `fastdl/.inodes`, both under the lock of the folder. A
// count that is missing is made by looking, and pruning looks at all of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/archive/cache_folder.hpp"

namespace goldsmith::archive {

// Whether it may be the name of a build, 64 digits, or of a selection, 32, in lower-case hex.
bool is_link_name(std::string_view name);

class ResourceLinks {
 public:
  // The links of all builds have as many inodes as the contents may have, those of one build a
  // tenth of it. `folder` must outlive the object.
  explicit ResourceLinks(const CacheFolder& folder)
      : folder_(folder), most_(folder.limits().inodes), most_of_build_(most_ / 10) {}

  // Whether the build has any.
  bool has(std::string_view build_hash) const;
  // Whether another one has room beside those of the build.
  bool fits(std::string_view build_hash, std::string_view path) const;

  // Makes the folder of the contents, which nginx may read, and that of the links. Throws
  // base::FileError.
  void make_folder() const;

  // Where the contents are counted, in the folder of the links: pruning, which removes some of them
  // without the lock, forgets the count.
  std::filesystem::path count_of_contents() const;

  // Makes `path` of the build lead to the content of that name, after make_folder(). Where there is
  // no room, those of the build go, and those of the builds that nobody used for longest. Throws
  // domain::Failure if even that is not enough, and base::FileError.
  void make(std::string_view build_hash, std::string_view path, const std::string& content) const;

  // Removes those of a build or selection, or of all selections. Throw base::FileError.
  void remove(std::string_view build_hash) const;
  void remove_selections() const;

  // Removes links that lead nowhere, that nobody followed for `CacheLimits::unused`, the folders
  // and counts that have none, and what exceeds the limits. Throws base::FileError and
  // std::filesystem::filesystem_error.
  void prune() const;

  // Removes those of the builds that nobody used for longest until the limits are kept with some
  // more; false if they are. Throws base::FileError.
  bool trim() const;

  // Links, folders and counts that there are now. Throws std::filesystem::filesystem_error.
  std::uint64_t inodes() const;

 private:
  std::filesystem::path builds() const;
  std::filesystem::path count_of(std::string_view build_hash) const;
  std::uint64_t inodes_of(std::string_view build_hash) const;
  std::uint64_t inodes_of_all() const;
  std::uint64_t sum() const;  // looks at each build
  // These are called under the lock.
  bool is_short(std::uint64_t inodes) const;
  void make_room(std::string_view build_hash, std::uint64_t inodes) const;
  void remove_build(std::string_view build_hash) const;
  void remove_unused(std::uint64_t inodes) const;

  const CacheFolder& folder_;
  std::uint64_t most_;
  std::uint64_t most_of_build_;
};

}  // namespace goldsmith::archive
