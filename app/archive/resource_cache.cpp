#include "app/archive/resource_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/clock.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"

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

// What the contents take, those about to be added included.
struct ContentCount {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  std::int64_t measured = 0;  // when the folder was listed; seconds since the epoch
};

// The folder is listed that often at least: what was removed since is still counted, and what was
// not used for CacheLimits::unused has to go.
constexpr std::int64_t kMeasuredFor = 600;  // seconds

std::int64_t seconds_now() { return base::unix_seconds(std::chrono::system_clock::now()); }

// std::nullopt if there is none, or one that a crash has cut off.
std::optional<ContentCount> read_content_count(const fs::path& file) try {
  constexpr std::uint64_t kLongest = 80;
  const std::string text = base::read_file(file, kLongest);
  const std::vector<std::string_view> numbers = base::split(text, ' ');
  if (numbers.size() != 4 || numbers[3] != "\n") return std::nullopt;
  const auto bytes = base::parse_number<std::uint64_t>(numbers[0]);
  const auto inodes = base::parse_number<std::uint64_t>(numbers[1]);
  const auto measured = base::parse_number<std::int64_t>(numbers[2]);
  if (!bytes || !inodes || !measured || *measured < 0) return std::nullopt;
  return ContentCount{*bytes, *inodes, *measured};
} catch (const base::FileError&) {
  return std::nullopt;
}

void write_content_count(const fs::path& file, const ContentCount& count) {
  const base::UniqueFd fd =
      base::open_file(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  const std::string text = std::to_string(count.bytes) + " " + std::to_string(count.inodes) + " " +
                           std::to_string(count.measured) + " \n";
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw base::FileError(file, "can't be written", errno);
  }
}

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

// A full folder is emptied a tenth below its limits, so that it is not listed for each file.
std::optional<std::string> ResourceCache::make_room(std::uint64_t bytes) const {
  using Room = CacheFolder::Room;
  const CacheLimits& limits = folder_.limits();
  const fs::path file = links_.count_of_contents();
  base::UniqueFd lock = folder_.lock();
  if (auto count = read_content_count(file)) {
    const std::int64_t age = seconds_now() - count->measured;
    count->bytes += bytes;
    ++count->inodes;
    if (age >= 0 && age < kMeasuredFor && count->bytes <= limits.bytes &&
        count->inodes <= limits.inodes &&
        base::available_bytes(folder_.path()) >= bytes + limits.free_bytes &&
        base::available_inodes(folder_.path()) > limits.free_inodes) {
      write_content_count(file, *count);
      return std::nullopt;
    }
  }
  Room room(folder_, std::move(lock));
  auto cause = room.make(bytes, Room::Spare::tenth);
  if (cause) {
    ::unlink(file.c_str());
  } else {
    write_content_count(file, {room.used().bytes + bytes, room.used().inodes + 1, seconds_now()});
  }
  return cause;
}

// Workers that do this at the same time may exceed the limit by one file each, until the next.
void ResourceCache::keep(const fs::path& file, std::string_view content) const {
  auto cause = make_room(content.size());
  if (cause && links_.trim()) cause = make_room(content.size());
  if (cause) throw no_room(std::move(*cause));
  base::write_atomically(file, content);
  base::mark_used(file);
}

}  // namespace goldsmith::archive
