#include "app/archive/depot_workspace.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/sys/interruption.hpp"

namespace goldsmith::archive {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".mirror";

void remove_leftovers(const fs::path& root) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const sys::UniqueFd fd(::open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, error);
}

fs::path swept(const fs::path& root) {
  remove_leftovers(root);
  return root;
}

}  // namespace

void lock_interruptibly(int fd, const fs::path& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) throw sys::FileError(path, "can't be locked", errno);
    sys::check_interruption();
  }
}

DepotLock::DepotLock(const fs::path& root) {
  std::error_code error;
  const bool is_new = fs::create_directories(root, error);
  if (error) throw sys::FileError(root, "can't be created", error.value());
  if (is_new) sys::open_to_all(root);
  const fs::path file = root / ".lock";
  fd_ = sys::open_file(file, O_RDWR | O_CREAT, 0644);
  lock_interruptibly(fd_.get(), file);
}

DepotWorkspace::DepotWorkspace(const fs::path& root, const DepotLock&)
    : folder_(swept(root), kPrefix), fd_(sys::open_file(folder_.path(), O_RDONLY | O_DIRECTORY)) {
  if (::flock(fd_.get(), LOCK_EX) != 0) {
    throw sys::FileError(folder_.path(), "can't be locked", errno);
  }
}

}  // namespace goldsmith::archive
