#include "app/owner/obstacles.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "app/base/text.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

// Of an open folder: the kernel's own name of it.
std::string real_path(int folder) {
  std::string path(PATH_MAX, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(folder);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return path;
}

// As in /proc/self/mountinfo: a space is \040.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  std::string result;
  while (!text.empty()) {
    const auto code = text.front() == '\\' && text.size() > kDigits
                          ? base::parse_number<unsigned>(text.substr(1, kDigits), 8)
                          : std::nullopt;
    result += code ? static_cast<char>(*code) : text.front();
    text.remove_prefix(code ? kDigits + 1 : 1);
  }
  return result;
}

// Paths in the folder that are mounts of their own.
std::set<std::string> mounts_in(int folder) {
  std::set<std::string> mounts;
  const std::string above = real_path(folder) + "/";
  std::ifstream list("/proc/self/mountinfo");
  for (std::string line; std::getline(list, line);) {
    constexpr std::size_t kPlace = 4;  // the fifth word
    const std::vector<std::string_view> words = base::split(line, ' ');
    if (words.size() <= kPlace) continue;
    const std::string place = unescaped(words[kPlace]);
    if (place.starts_with(above)) mounts.insert(place.substr(above.size()));
  }
  return mounts;
}

std::optional<dev_t> device_of(int folder) {
  struct stat status{};
  return ::fstat(folder, &status) == 0 ? std::optional(status.st_dev) : std::nullopt;
}

class Search {
 public:
  Search(const Installation& installation, const Changes& changes)
      : installation_(installation),
        files_(installation.files()),
        changes_(changes),
        mounts_(mounts_in(files_.root())) {}

  void run() {
    for (const Change& each : changes_.changes) {
      const bool is_side = each.kind == Change::Kind::side;
      check(each, is_side ? each.path + ".new" : each.path);
    }
    for (const auto& [device, needed] : needed_) {
      if (needed.bytes > needed.free) fail_without_room(installation_);
    }
  }

 private:
  struct Needed {
    std::uint64_t bytes = 0;
    std::uint64_t free = 0;
  };

  [[noreturn]] void refuse(const std::string& path, const Message& why) const {
    fail(Message("cannot replace {path}: {reason}; nothing was changed",
                 {{"path", installation_.shown_path(path)}, {"reason", why}}));
  }
  [[noreturn]] void refuse(const std::string& path, int error) const {
    fail(Message(
        "cannot replace {path}: {reason}; nothing was changed",
        {{"path", installation_.shown_path(path)}, {"reason", std::string(std::strerror(error))}}));
  }

  void check(const Change& change, const std::string& path) {
    if (mounts_.contains(path)) refuse(path, Message("it is a mount of its own", {}));
    const ServerFiles::Place place = files_.place(path);
    if (!place.folder) return;  // a folder that is new
    if (::faccessat(place.folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) refuse(path, errno);
    // The kernel looks whether a file may be removed at all before it finds that it is no folder.
    if (files_.exists(path) && !files_.is_folder(path) &&
        ::unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOTDIR &&
        errno != ENOENT) {
      refuse(path, errno);
    }
    const auto device = device_of(place.folder.get());
    if (change.kind == Change::Kind::del || !device || device == device_of(files_.root())) return;
    struct statvfs disk{};
    struct stat status{};
    const ServerFiles::Place staged = files_.place(below(kNew, change.path));
    if (::fstatvfs(place.folder.get(), &disk) != 0 || !staged.folder ||
        ::fstatat(staged.folder.get(), staged.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    Needed& needed = needed_[*device];
    needed.bytes += static_cast<std::uint64_t>(status.st_size);
    needed.free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  }

  const Installation& installation_;
  const ServerFiles& files_;
  const Changes& changes_;
  std::set<std::string> mounts_;
  std::map<dev_t, Needed> needed_;  // on other file systems
};

}  // namespace

void refuse_obstacles(const Installation& installation, const Changes& changes) {
  Search(installation, changes).run();
}

int running_in(const Installation& installation) {
  const std::string folder = real_path(installation.files().root());
  const Descriptor processes(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!processes || folder.empty()) return 0;
  for (const std::string& name : ServerFiles(Descriptor(::dup(processes.get()))).names_in("")) {
    const auto number = base::parse_number<int>(name);
    if (!number || *number == ::getpid()) continue;
    std::string program(PATH_MAX, '\0');
    const ssize_t size =
        ::readlinkat(processes.get(), (name + "/exe").c_str(), program.data(), program.size());
    if (size <= 0) continue;
    program.resize(static_cast<std::size_t>(size));
    if (program.starts_with(folder + "/")) return *number;
  }
  return 0;
}

}  // namespace goldsmith::owner
