#include "app/host/account.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "app/base/file.hpp"

namespace goldsmith::host {
namespace {

std::optional<NamedAccount> find(const char* name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16U << 10> texts{};
  ::getpwnam_r(name, &entry, texts.data(), texts.size(), &found);
  if (found == nullptr || entry.pw_uid == 0) return std::nullopt;
  return NamedAccount{name, {entry.pw_uid, entry.pw_gid}};
}

// The status of `path`, or of what it leads to through links that are root's alone: those of
// another user lead wherever that one wants. False if there is nothing.
bool find_owned(std::filesystem::path path, struct stat& status) {
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks; ++links) {
    if (::lstat(path.c_str(), &status) != 0) return false;
    if (status.st_uid != 0 || !S_ISLNK(status.st_mode)) return true;
    std::error_code error;
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
    if (error) return false;
  }
  return false;
}

}  // namespace

std::optional<NamedAccount> unprivileged_account(const char* name) {
  if (::geteuid() != 0) return std::nullopt;
  for (const char* each : {name, "nobody"}) {
    if (auto account = find(each)) return account;
  }
  throw base::FileError(name, "no such user, and no nobody", ENOENT);
}

bool is_root_in_folder_of_another(const std::filesystem::path& folder) {
  struct stat status{};
  return ::geteuid() == 0 && find_owned(folder, status) && status.st_uid != 0;
}

bool is_folder_of_another(const std::filesystem::path& folder) {
  struct stat status{};
  return find_owned(folder, status) && status.st_uid != 0 && status.st_uid != ::geteuid();
}

void become_owner_of(const std::filesystem::path& folder) {
  struct stat status{};
  if (::geteuid() != 0 || !find_owned(folder, status) || status.st_uid == 0) return;
  if (::setgroups(0, nullptr) != 0 ||
      ::setresgid(status.st_gid, status.st_gid, status.st_gid) != 0 ||
      ::setresuid(status.st_uid, status.st_uid, status.st_uid) != 0) {
    throw base::FileError(folder, "can't become its owner", errno);
  }
}

}  // namespace goldsmith::host
