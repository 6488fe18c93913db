#include "app/archive/depot.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/archive/io.hpp"
#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"

namespace goldsmith::archive {

namespace {

constexpr std::string_view kCommentStart = "goldsmith depot ";

std::string digest_of_range(
    int fd, std::uint64_t end, const std::filesystem::path& path,
    const std::function<void(std::size_t)>& on_bytes = [](std::size_t) {}) {
  base::Sha256 digest;
  std::vector<char> buffer(std::min<std::uint64_t>(256U << 10, end));
  for (std::uint64_t offset = 0; offset < end;) {
    const std::span<char> piece(buffer.data(),
                                std::min<std::uint64_t>(buffer.size(), end - offset));
    const std::size_t count = read_at({fd, offset, path}, piece);
    if (count == 0) throw ZipError(path.string() + ": ends early; the file is damaged");
    digest.update({piece.data(), count});
    on_bytes(count);
    offset += count;
  }
  return digest.finish_hex();
}

bool is_regular(const std::filesystem::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// The comment is at the end of a ZIP.
bool ends_with_comment(const std::filesystem::path& file, const std::string& comment) {
  const base::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < comment.size()) return false;
  std::string end(comment.size(), '\0');
  return read_at({fd.get(), size - comment.size(), file}, end) == end.size() && end == comment;
}

bool unlink_if_there(const std::filesystem::path& file) {
  if (::unlink(file.c_str()) == 0) return true;
  if (errno != ENOENT) throw base::FileError(file, "can't be removed", errno);
  return false;
}

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".mirror";

void remove_leftovers(const fs::path& root) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const base::UniqueFd fd(::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
}

fs::path swept(const fs::path& root) {
  remove_leftovers(root);
  return root;
}

}  // namespace

MissingDepotFile::MissingDepotFile(const std::filesystem::path& file, int error_number)
    : std::runtime_error(file.string() +
                         (error_number == EACCES
                              ? ": this process may not read it; goldsmith depot verify --repair "
                                "sets the modes of the depot"
                              : ": is not in this host's depot yet; goldsmith depot fill fetches "
                                "what is missing")) {}

std::string depot_comment(std::string_view digest) {
  return std::string(kCommentStart).append(digest);
}

std::string finish_depot_file(ZipWriter& writer, int fd, const std::filesystem::path& path) {
  std::string digest;
  writer.finish([&](std::uint64_t end) {
    digest = digest_of_range(fd, end, path);
    return depot_comment(digest);
  });
  return digest;
}

VerifiedDepotFile verify_depot_file(const std::filesystem::path& path,
                                    const std::function<void(std::size_t)>& on_bytes) {
  const ZipReader reader(path);
  std::vector<std::string> digests = reader.verify_and_digest(on_bytes);
  VerifiedDepotFile verified;
  verified.digest = digest_of_range(reader.descriptor(), reader.directory_end(), path, on_bytes);
  if (reader.comment() != depot_comment(verified.digest)) {
    throw ZipError(path.string() + ": its digest is " + verified.digest +
                   ", but its comment says \"" + reader.comment() + "\"");
  }
  verified.files.reserve(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const ZipEntry& entry = reader.entries()[i];
    verified.files.push_back({entry.path, entry.size, entry.executable, std::move(digests[i])});
  }
  return verified;
}

bool has_depot_digest(const std::filesystem::path& path, std::string_view digest) try {
  constexpr std::uint64_t kSmallEnd = 22;           // the record behind the directory
  constexpr std::uint64_t kLargeEnd = 76;           // two more, in large files
  constexpr std::uint64_t kLocator = 20;            // the second of them
  constexpr std::string_view kMark = "PK\x06\x07";  // its beginning
  const std::string comment = depot_comment(digest);
  if (!ends_with_comment(path, comment)) return false;
  const base::UniqueFd fd = base::open_to_read(path);
  const std::uint64_t tail = kSmallEnd + comment.size();
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size < tail + kLargeEnd) {
    return size >= tail && digest_of_range(fd.get(), size - tail, path) == digest;
  }
  std::string mark(kMark.size(), '\0');
  read_at({fd.get(), size - tail - kLocator, path}, mark);
  const std::uint64_t end = size - tail - (mark == kMark ? kLargeEnd : 0);
  return digest_of_range(fd.get(), end, path) == digest;
} catch (const ZipError&) {  // it became shorter
  return false;
}

std::filesystem::path Depot::file_of(const domain::Slug& slug, const domain::Version& version,
                                     std::string_view digest) const {
  return root_ / slug.view() / (version + ".").append(digest).append(".zip");
}

std::optional<std::filesystem::path> Depot::find(const domain::Slug& slug,
                                                 const domain::Version& version,
                                                 std::string_view digest) const {
  std::filesystem::path file = file_of(slug, version, digest);
  if (is_regular(file)) return file;
  return std::nullopt;
}

std::filesystem::path Depot::require(const domain::Slug& slug, const domain::Version& version,
                                     std::string_view digest) const {
  if (auto found = find(slug, version, digest)) return *std::move(found);
  const std::filesystem::path file = file_of(slug, version, digest);
  const bool is_closed = ::access(file.c_str(), F_OK) != 0 && errno == EACCES;
  throw MissingDepotFile(file, is_closed ? EACCES : ENOENT);
}

std::array<std::filesystem::path, 3> Depot::parts_of(const domain::Slug& slug,
                                                     const domain::Version& version,
                                                     std::string_view digest) const {
  return {root_, root_ / slug.view(), file_of(slug, version, digest)};
}

std::filesystem::path Depot::closed_part(const domain::Slug& slug, const domain::Version& version,
                                         std::string_view digest) const {
  for (const std::filesystem::path& part : parts_of(slug, version, digest)) {
    if (!base::is_open_to_all(part)) return part;
  }
  return {};
}

bool Depot::open_to_all(const domain::Slug& slug, const domain::Version& version,
                        std::string_view digest) const {
  bool is_changed = false;
  for (const std::filesystem::path& part : parts_of(slug, version, digest)) {
    is_changed = base::open_to_all(part) || is_changed;
  }
  return is_changed;
}

void Depot::publish(const std::filesystem::path& temporary, const domain::Slug& slug,
                    const domain::Version& version, std::string_view digest) const {
  const std::filesystem::path target = file_of(slug, version, digest);
  const std::filesystem::path folder = target.parent_path();
  const base::UniqueFd fd = base::open_file(temporary, O_RDONLY);
  if (::fchmod(fd.get(), 0644) != 0) throw base::FileError(temporary, "can't set its mode", errno);
  base::sync_file(fd.get(), temporary);

  if (::mkdir(folder.c_str(), 0755) == 0) {
    base::sync_directory(root_);
  } else if (errno != EEXIST) {
    throw base::FileError(folder, "can't be created", errno);
  }
  base::open_to_all(folder);
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    throw base::FileError(target, "can't rename " + temporary.string() + " to it", errno);
  }
  base::sync_directory(folder);
}

bool Depot::remove(const domain::Slug& slug, const domain::Version& version,
                   std::string_view digest) const {
  const std::filesystem::path file = file_of(slug, version, digest);
  if (!unlink_if_there(file)) return false;
  // The last file takes its folder along; any other failure means that it is still needed.
  const std::filesystem::path folder = file.parent_path();
  if (::rmdir(folder.c_str()) == 0) {
    base::sync_directory(root_);
  } else {
    base::sync_directory(folder);
  }
  return true;
}

void lock_interruptibly(int fd, const fs::path& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) throw base::FileError(path, "can't be locked", errno);
    base::check_interruption();
  }
}

DepotLock::DepotLock(const fs::path& root) {
  std::error_code error;
  const bool is_new = fs::create_directories(root, error);
  if (error) throw base::FileError(root, "can't be created", error.value());
  if (is_new) base::open_to_all(root);
  const fs::path file = root / ".lock";
  fd_ = base::open_file(file, O_RDWR | O_CREAT, 0644);
  lock_interruptibly(fd_.get(), file);
}

DepotWorkspace::DepotWorkspace(const fs::path& root, const DepotLock&)
    : folder_(swept(root), kPrefix), fd_(base::open_file(folder_.path(), O_RDONLY | O_DIRECTORY)) {
  if (::flock(fd_.get(), LOCK_EX) != 0) {
    throw base::FileError(folder_.path(), "can't be locked", errno);
  }
}

}  // namespace goldsmith::archive
