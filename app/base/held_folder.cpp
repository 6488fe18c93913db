#include "app/base/held_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <deque>
#include <memory>

#include <fmt/core.h>

namespace goldsmith::base {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel
constexpr int kDeepest = 64;    // folders in folders that are removed
constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Looks up the parts of a path one after the other.
class Walk {
 public:
  Walk(const fs::path& path, bool makes) : path_(path), makes_(makes) {
    if (path.empty()) throw FileError(path, "can't be opened", ENOENT);
    begin(path);
  }

  // `flags`: of the last part.
  UniqueFd open(int flags) {
    while (!parts_.empty()) {
      const std::string part = std::move(parts_.front());
      parts_.pop_front();
      const bool is_last = parts_.empty();
      UniqueFd next(::openat(at_.get(), part.c_str(), is_last ? flags | O_NOFOLLOW : kFolder));
      if (!next && is_last && errno == EPERM && (flags & O_NOATIME) != 0) {  // another's file
        next.reset(::openat(at_.get(), part.c_str(), (flags & ~O_NOATIME) | O_NOFOLLOW));
      }
      if (next) {
        at_ = std::move(next);
      } else if (errno == ELOOP || errno == ENOTDIR) {
        follow(part, errno);
      } else if (errno == ENOENT && makes_) {
        if (::mkdirat(at_.get(), part.c_str(), 0777) != 0 && errno != EEXIST) fail(errno);
        parts_.push_front(part);
      } else {
        fail(errno);
      }
    }
    return std::move(at_);
  }

 private:
  void begin(const fs::path& path) {
    if (path.is_absolute() || !at_) {
      at_.reset(::open(path.is_absolute() ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!at_) fail(errno);
    }
    std::vector<std::string> parts;
    for (const fs::path& part : path.relative_path()) {
      if (!part.empty() && part != ".") parts.push_back(part.string());
    }
    parts_.insert(parts_.begin(), parts.begin(), parts.end());
    if (parts_.empty()) parts_.emplace_back(".");
  }

  void follow(const std::string& part, int otherwise) {
    const UniqueFd link(::openat(at_.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status{};
    if (!link || ::fstat(link.get(), &status) != 0) fail(errno);
    if (!S_ISLNK(status.st_mode)) fail(otherwise);
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
      throw FileError(path_, {fmt::format("\"{}\" is a link of the user {}, and might lead to what "
                                          "is not theirs; name the file itself",
                                          part, status.st_uid),
                              ELOOP});
    }
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
    if (size < 0) fail(errno);
    if (size == 0 || ++links_ > kMostLinks) fail(ELOOP);
    target.resize(static_cast<std::size_t>(size));
    begin(target);
  }

  [[noreturn]] void fail(int number) const { throw FileError(path_, "can't be opened", number); }

  const fs::path& path_;
  const bool makes_;
  UniqueFd at_;
  std::deque<std::string> parts_;
  int links_ = 0;
};

UniqueFd open_in(int folder, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? 0600 : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));
  return UniqueFd(static_cast<int>(fd));
}

HeldFolder::Entry described(std::string name, const struct stat& status) {
  using Kind = HeldFolder::Kind;
  const mode_t mode = status.st_mode;
  const Kind kind = S_ISREG(mode)   ? Kind::file
                    : S_ISDIR(mode) ? Kind::folder
                    : S_ISLNK(mode) ? Kind::link
                                    : Kind::other;
  return {std::move(name), kind,          static_cast<std::uint64_t>(status.st_size),
          status.st_dev,   status.st_ino, mode & 07777,
          status.st_uid,   status.st_gid};
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::string temporary_name() { return ".goldsmith-" + std::to_string(::getpid()); }

// The owner first: the kernel takes set-user-ID bits of a file that is given away.
void give(int fd, const HeldFolder::Attributes& attributes, const fs::path& path) {
  constexpr auto kSame = static_cast<uid_t>(-1);
  if ((attributes.owner || attributes.group) &&
      ::fchown(fd, attributes.owner.value_or(kSame), attributes.group.value_or(kSame)) != 0) {
    throw FileError(path, "can't set its owner", errno);
  }
  if (::fchmod(fd, attributes.mode) != 0) throw FileError(path, "can't set its mode", errno);
}

}  // namespace

UniqueFd open_named(const fs::path& path, int flags) {
  return Walk(path, false).open(flags | O_CLOEXEC);
}

std::string read_named(const fs::path& path, std::uint64_t limit) {
  return read_file(open_named(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOATIME), path, limit);
}

HeldFolder::HeldFolder(fs::path path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

HeldFolder::HeldFolder(const fs::path& path)
    : HeldFolder(path, Walk(path, false).open(O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

HeldFolder HeldFolder::make(const fs::path& path) {
  return {path, Walk(path, true).open(O_PATH | O_DIRECTORY | O_CLOEXEC)};
}

UniqueFd HeldFolder::open_beneath(const std::string& name, int flags,
                                  std::string_view attempted) const {
  // With O_DIRECTORY, O_NOFOLLOW would make a link any file that is no folder.
  const int no_link = (flags & O_DIRECTORY) == 0 ? O_NOFOLLOW : 0;
  UniqueFd fd = open_in(fd_.get(), name.empty() ? "." : name.c_str(), flags | no_link);
  if (fd) return fd;
  if (errno == ENOSYS) {
    throw FileError(path_ / name,
                    {"can't be opened without openat2(2), of Linux 5.6; the container or the "
                     "system call filter must allow it",
                     ENOSYS});
  }
  if (errno == ELOOP || errno == EXDEV) {
    throw FileError(path_ / name,
                    {"is, or lies behind, a symbolic link; links are refused", ELOOP});
  }
  throw FileError(path_ / name, attempted, errno);
}

std::vector<HeldFolder::Entry> HeldFolder::entries(const std::string& folder,
                                                   std::size_t most) const {
  UniqueFd fd = open_beneath(folder, O_RDONLY | O_DIRECTORY, "can't be listed");
  const std::unique_ptr<DIR, CloseFolder> opened(::fdopendir(fd.get()));
  if (!opened) throw FileError(path_ / folder, "can't be listed", errno);
  fd.release();
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const dirent* const each = ::readdir(opened.get());
    if (!each && errno != 0) throw FileError(path_ / folder, "can't be listed", errno);
    if (!each) break;
    const std::string_view name = each->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    // What is gone meanwhile is not in it.
    if (::fstatat(::dirfd(opened.get()), each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (entries.size() == most) {
      throw FileError(path_ / folder, {fmt::format("has more than {} entries", most), EFBIG});
    }
    entries.push_back(described(std::string(name), status));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& one, const Entry& other) { return one.name < other.name; });
  return entries;
}

std::optional<HeldFolder::Entry> HeldFolder::entry(const std::string& name) const try {
  const UniqueFd fd = open_beneath(name, O_PATH, "can't be examined");
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw FileError(path_ / name, "can't be examined", errno);
  return described(last_part(name), status);
} catch (const FileError& failure) {
  if (failure.error_number() == ENOENT || failure.error_number() == ENOTDIR) return std::nullopt;
  throw;
}

UniqueFd HeldFolder::open(const std::string& name) const {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  UniqueFd fd = open_in(fd_.get(), name.c_str(), kFlags | O_NOFOLLOW | O_NOATIME);
  if (!fd) fd = open_beneath(name, kFlags, "can't be opened");  // another's file, or it says why
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw FileError(path_ / name, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw FileError(path_ / name, {"is not a regular file", EINVAL});
  return fd;
}

std::string HeldFolder::read(const std::string& name, std::uint64_t limit) const {
  return read_file(open(name), path_ / name, limit);
}

UniqueFd HeldFolder::parent_of(const std::string& name, bool makes) const {
  std::size_t slash = makes ? name.find('/') : name.npos;
  for (; slash != name.npos; slash = name.find('/', slash + 1)) {
    const std::string folder = name.substr(0, slash);
    const UniqueFd above = parent_of(folder, false);
    if (::mkdirat(above.get(), last_part(folder).c_str(), 0777) != 0 && errno != EEXIST) {
      throw FileError(path_ / folder, "can't be created", errno);
    }
  }
  const std::size_t last = name.rfind('/');
  return open_beneath(last == name.npos ? "" : name.substr(0, last), O_PATH | O_DIRECTORY,
                      "is no folder to work in");
}

void HeldFolder::write(const std::string& name, std::string_view bytes) const {
  write(name, [&](int fd) { write_all(fd, bytes, path_ / name); }, {});
}

void HeldFolder::write(const std::string& name, const std::function<void(int)>& fill,
                       const Attributes& attributes) const {
  const fs::path path = path_ / name;
  const UniqueFd folder = parent_of(name, true);
  const std::string temporary = temporary_name();
  ::unlinkat(folder.get(), temporary.c_str(), 0);  // of a writer that was killed
  const UniqueFd fd = open_in(folder.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) throw FileError(path, "can't create a temporary file beside it", errno);
  try {
    fill(fd.get());
    give(fd.get(), attributes, path);
    sync_file(fd.get(), path);
    replace(folder, temporary, name);
  } catch (...) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    throw;
  }
}

void HeldFolder::replace(const UniqueFd& folder, const std::string& temporary,
                         const std::string& name) const {
  if (::renameat(folder.get(), temporary.c_str(), folder.get(), last_part(name).c_str()) != 0) {
    throw FileError(path_ / name, "can't replace it", errno);
  }
  const UniqueFd opened = open_in(folder.get(), ".", O_RDONLY | O_DIRECTORY);
  if (opened) sync_file(opened.get(), path_ / name);
}

void HeldFolder::make_folder(const std::string& name, const Attributes& attributes) const {
  if (!name.empty()) {
    const UniqueFd above = parent_of(name, true);
    if (::mkdirat(above.get(), last_part(name).c_str(), 0700) != 0 && errno != EEXIST) {
      throw FileError(path_ / name, "can't be created", errno);
    }
  }
  const UniqueFd folder = open_beneath(name, O_RDONLY | O_DIRECTORY, "can't be opened");
  give(folder.get(), attributes, path_ / name);
}

void HeldFolder::link(const std::string& name, const std::string& target) const {
  const UniqueFd folder = parent_of(name, true);
  const std::string temporary = temporary_name();
  ::unlinkat(folder.get(), temporary.c_str(), 0);
  if (::symlinkat(target.c_str(), folder.get(), temporary.c_str()) != 0) {
    throw FileError(path_ / name, "can't be made", errno);
  }
  try {
    replace(folder, temporary, name);
  } catch (const FileError&) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    throw;
  }
}

std::string HeldFolder::target_of(const std::string& name) const {
  const UniqueFd folder = parent_of(name, false);
  std::string target(PATH_MAX, '\0');
  const ssize_t size =
      ::readlinkat(folder.get(), last_part(name).c_str(), target.data(), target.size());
  if (size < 0) throw FileError(path_ / name, "can't be read", errno);
  target.resize(static_cast<std::size_t>(size));
  return target;
}

void HeldFolder::rename(const std::string& from, const std::string& to) const {
  if (::renameat2(fd_.get(), from.c_str(), fd_.get(), to.c_str(), RENAME_NOREPLACE) != 0) {
    throw FileError(path_ / from, "can't become " + to, errno);
  }
  const UniqueFd opened = open_in(fd_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (opened) sync_file(opened.get(), path_);
}

bool HeldFolder::remove(const std::string& name) const try {
  const UniqueFd folder = parent_of(name, false);
  const std::string last = last_part(name);
  if (::unlinkat(folder.get(), last.c_str(), 0) == 0) return true;
  if (errno == EISDIR && ::unlinkat(folder.get(), last.c_str(), AT_REMOVEDIR) == 0) return true;
  if (errno == ENOENT || errno == ENOTEMPTY) return false;
  throw FileError(path_ / name, "can't be removed", errno);
} catch (const FileError& failure) {
  if (failure.error_number() == ENOENT || failure.error_number() == ENOTDIR) return false;
  throw;
}

void HeldFolder::remove_all(const std::string& name) const {
  if (std::count(name.begin(), name.end(), '/') > kDeepest) {
    throw FileError(path_ / name, {"is too deep in other folders", ELOOP});
  }
  const auto found = entry(name);
  if (!found) return;
  if (found->kind == Kind::folder) {
    for (const Entry& each : entries(name)) remove_all(name + '/' + each.name);
  }
  remove(name);
}

}  // namespace goldsmith::base
