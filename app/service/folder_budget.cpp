#include "app/service/folder_budget.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "app/archive/archive_lock.hpp"
#include "app/archive/cached_files.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

namespace fs = std::filesystem;
using archive::CachedFile;

constexpr std::uint64_t kCurrentVersion = 0x676f6c6473620001;  // "goldsb", layout 1
// What others do to the folder, cache prune above all, is noticed by then.
constexpr std::int64_t kMeasuredFor = 600;  // seconds

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t sum_of(const std::vector<CachedFile>& files) {
  return std::accumulate(files.begin(), files.end(), std::int64_t{0},
                         [](std::int64_t sum, const CachedFile& file) {
                           return sum + static_cast<std::int64_t>(file.bytes);
                         });
}

}  // namespace

struct FolderBudget::Shared {
  std::uint64_t version;
  std::atomic<std::int64_t> bytes;     // of all files, those about to be added included
  std::atomic<std::int64_t> measured;  // when the folder was listed; seconds since the epoch
};

FolderBudget::FolderBudget(fs::path folder, const fs::path& shared, const Bounds& bounds)
    : folder_(std::move(folder)),
      bounds_(bounds),
      file_(shared, sys::SharedFile::Open::create, {kCurrentVersion, sizeof(Shared)}) {}

FolderBudget::Shared& FolderBudget::shared() const { return *static_cast<Shared*>(file_.data()); }

bool FolderBudget::has_free_space(std::uint64_t bytes) const {
  return sys::available_bytes(folder_) >= bytes + bounds_.free_bytes;
}

bool FolderBudget::make_room(std::uint64_t bytes) {
  const auto more = static_cast<std::int64_t>(bytes);
  const auto limit = static_cast<std::int64_t>(bounds_.bytes);
  const std::int64_t sum = shared().bytes.fetch_add(more) + more;
  const std::int64_t age = seconds_now() - shared().measured.load();
  if (sum <= limit && age >= 0 && age < kMeasuredFor && has_free_space(bytes)) return true;
  if (evict(bytes)) return true;
  shared().bytes.fetch_sub(more);
  return false;
}

// Lists the folder, and goes a tenth below the limit where that is reached, so that a full folder
// is not listed for each file.
bool FolderBudget::evict(std::uint64_t bytes) {
  const sys::UniqueFd lock = sys::open_file(folder_, O_RDONLY | O_DIRECTORY);
  archive::lock_file(lock.get(), folder_);
  const std::int64_t noted = shared().bytes.load();
  std::vector<CachedFile> files = archive::cached_files(folder_);
  std::int64_t sum = sum_of(files) + static_cast<std::int64_t>(bytes);
  std::erase_if(files, [&](const CachedFile& file) { return !bounds_.is_removable(file.path); });
  std::sort(files.begin(), files.end(), [](const CachedFile& left, const CachedFile& right) {
    return left.last_use > right.last_use;
  });
  const auto limit = static_cast<std::int64_t>(bounds_.bytes);
  const std::int64_t wanted = sum > limit ? limit - limit / 10 : limit;
  while (!files.empty() && (sum > wanted || !has_free_space(bytes))) {
    std::error_code error;
    if (fs::remove(files.back().path, error)) sum -= static_cast<std::int64_t>(files.back().bytes);
    files.pop_back();
  }
  // What others added meanwhile stays counted, perhaps twice: too much is the safe side.
  shared().bytes.fetch_add(sum - noted);
  shared().measured.store(seconds_now());
  return sum <= limit && has_free_space(bytes);
}

}  // namespace goldsmith::service
