#include "app/archive/resource_links.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>
#include <system_error>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuilds = "fastdl";  // as in the address, so that nginx maps one to the other
constexpr const char* kCount = ".inodes";
constexpr const char* kCountOfContents = ".contents";
constexpr std::uint64_t kOwnInodes = 3;  // the folder of the builds, and these two counts of all
// One at a time is made, under the lock of the folder.
constexpr const char* kNewLink = ".link";

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

// Of the links to be made for a path in a new build: itself, folders, the build's folder and count.
std::uint64_t most_inodes_of(std::string_view path) {
  return 3U + static_cast<std::uint64_t>(std::count(path.begin(), path.end(), '/'));
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

// The folders of builds that `builds` has, links aside; none if it does not exist.
std::vector<std::string> builds_in(const fs::path& builds) {
  std::vector<std::string> hashes;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator(builds, error)) {
    if (each.is_symlink() || !each.is_directory()) continue;
    hashes.push_back(each.path().filename());
  }
  return hashes;
}

// The counts that `builds` has of builds that it has not: a process was killed between the two.
std::vector<fs::path> counts_without_build(const fs::path& builds) {
  std::vector<fs::path> counts;
  for (const fs::directory_entry& each : fs::directory_iterator(builds)) {
    const fs::path& file = each.path();
    const std::string build = file.stem();
    if (file.extension() == kCount && is_link_name(build) && !fs::is_directory(builds / build)) {
      counts.push_back(file);
    }
  }
  return counts;
}

struct Survey {
  std::uint64_t inodes = 0;
  std::time_t last_use = 0;  // of any link
};

// All that is in a folder, itself included. What is removed meanwhile may count.
Survey survey(const fs::path& folder) {
  Survey found{1, 0};
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    ++found.inodes;
    struct stat status{};
    if (entry->is_symlink(error) && ::lstat(entry->path().c_str(), &status) == 0) {
      found.last_use = std::max(found.last_use, status.st_atim.tv_sec);
    }
  }
  return found;
}

std::optional<std::uint64_t> read_count(const fs::path& file) try {
  constexpr std::uint64_t kLongest = 20;
  return base::parse_number<std::uint64_t>(base::read_file(file, kLongest));
} catch (const base::FileError&) {
  return std::nullopt;
}

// One that is cut off by a crash is none.
void write_count(const fs::path& file, std::uint64_t count) {
  const base::UniqueFd fd =
      base::open_file(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  const std::string text = std::to_string(count);
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw base::FileError(file, "can't be written", errno);
  }
}

}  // namespace

bool is_link_name(std::string_view name) {
  constexpr std::size_t kSelection = 32;
  return base::is_sha256_hex(name) ||
         (name.size() == kSelection &&
          name.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

fs::path ResourceLinks::builds() const { return folder_.path() / kBuilds; }

fs::path ResourceLinks::count_of(std::string_view build_hash) const {
  return builds() / std::string(build_hash).append(kCount);
}

bool ResourceLinks::has(std::string_view build_hash) const {
  std::error_code error;
  return fs::is_directory(builds() / build_hash, error);
}

std::uint64_t ResourceLinks::inodes_of(std::string_view build_hash) const {
  if (const auto counted = read_count(count_of(build_hash))) return *counted;
  return has(build_hash) ? survey(builds() / build_hash).inodes + 1 : 0;
}

std::uint64_t ResourceLinks::sum() const {
  std::uint64_t sum = kOwnInodes;
  for (const std::string& build : builds_in(builds())) sum += inodes_of(build);
  return sum;
}

std::uint64_t ResourceLinks::inodes_of_all() const {
  if (const auto counted = read_count(count_of(""))) return *counted;
  return sum();
}

std::uint64_t ResourceLinks::inodes() const {
  std::error_code error;
  return fs::is_directory(builds(), error) ? survey(builds()).inodes : 0;
}

bool ResourceLinks::fits(std::string_view build_hash, std::string_view path) const {
  return inodes_of(build_hash) + most_inodes_of(path) <= most_of_build_;
}

void ResourceLinks::make_folder() const { make_folders(builds()); }

fs::path ResourceLinks::count_of_contents() const { return builds() / kCountOfContents; }

void ResourceLinks::make(std::string_view build_hash, std::string_view path,
                         const std::string& content) const {
  const fs::path link = builds() / build_hash / path;
  fs::path target = "../..";  // of fastdl/HASH/
  for (auto left = std::count(path.begin(), path.end(), '/'); left > 0; --left) target /= "..";
  target /= content;
  const base::UniqueFd lock = folder_.lock();
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return;
  make_room(build_hash, most_inodes_of(path));

  // Counted before they are there, so that a crash leaves too much rather than too little.
  std::uint64_t more = fs::is_symlink(fs::symlink_status(link, error)) ? 0 : 1;
  for (fs::path each = link.parent_path(); each != builds(); each = each.parent_path()) {
    if (!fs::is_directory(each, error)) ++more;
  }
  const std::uint64_t of_all = inodes_of_all();
  const std::uint64_t of_build = inodes_of(build_hash);
  if (of_build == 0) ++more;  // its count
  write_count(count_of(""), of_all + more);
  write_count(count_of(build_hash), of_build + more);

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

void ResourceLinks::remove_build(std::string_view build_hash) const {
  std::error_code error;
  fs::remove_all(builds() / build_hash, error);
  fs::remove(count_of(build_hash), error);
  fs::remove(count_of(""), error);  // counted anew
}

bool ResourceLinks::is_short(std::uint64_t inodes) const {
  return inodes_of_all() + inodes > most_ ||
         base::available_inodes(builds()) < inodes + folder_.limits().free_inodes;
}

void ResourceLinks::make_room(std::string_view build_hash, std::uint64_t inodes) const {
  if (inodes_of(build_hash) + inodes > most_of_build_) remove_build(build_hash);
  if (!is_short(inodes)) return;
  remove_unused(inodes);
  if (!is_short(inodes)) return;
  throw no_room(
      "the links of files for game clients need more inodes than cache.inodes and "
      "cache.free_inodes allow");
}

// A tenth more than is needed, so that not every link costs a look at all of them.
void ResourceLinks::remove_unused(std::uint64_t inodes) const {
  struct Build {
    std::string hash;
    Survey survey;
  };
  std::vector<Build> all;
  std::uint64_t used = kOwnInodes;
  for (std::string& hash : builds_in(builds())) {
    const Survey found = survey(builds() / hash);
    used += found.inodes + 1;
    all.push_back({std::move(hash), found});
  }
  std::sort(all.begin(), all.end(), [](const Build& left, const Build& right) {
    return left.survey.last_use < right.survey.last_use;
  });
  const std::uint64_t spare = most_ / 10;
  for (const Build& each : all) {
    const bool is_enough =
        used + inodes + spare <= most_ &&
        base::available_inodes(builds()) >= inodes + folder_.limits().free_inodes;
    if (is_enough) break;
    remove_build(each.hash);
    used -= each.survey.inodes + 1;
  }
}

void ResourceLinks::remove(std::string_view build_hash) const {
  if (!has(build_hash)) return;
  const base::UniqueFd lock = folder_.lock();
  remove_build(build_hash);
}

void ResourceLinks::remove_selections() const {
  for (const std::string& name : builds_in(builds())) {
    if (is_link_name(name) && !base::is_sha256_hex(name)) remove(name);
  }
}

void ResourceLinks::prune() const {
  std::error_code error;
  if (!fs::is_directory(builds(), error)) return;
  for (const std::string& build : builds_in(builds())) {
    // For each, so that a worker waits for one.
    const base::UniqueFd lock = folder_.lock();
    if (!has(build)) continue;
    prune_folder(builds() / build, folder_.limits().unused);
    if (::rmdir((builds() / build).c_str()) == 0) {
      ::unlink(count_of(build).c_str());
    } else {
      write_count(count_of(build), survey(builds() / build).inodes + 1);
    }
  }
  {
    const base::UniqueFd lock = folder_.lock();
    for (const fs::path& count : counts_without_build(builds())) ::unlink(count.c_str());
    ::unlink(count_of("").c_str());
    ::unlink(count_of_contents().c_str());
    if (builds_in(builds()).empty()) return;
    write_count(count_of(""), sum());
  }
  trim();
}

bool ResourceLinks::trim() const {
  std::error_code error;
  if (!fs::is_directory(builds(), error)) return false;
  constexpr std::uint64_t kOneFile = 1;
  const base::UniqueFd lock = folder_.lock();
  if (!is_short(kOneFile)) return false;
  remove_unused(kOneFile);
  return true;
}

}  // namespace goldsmith::archive
