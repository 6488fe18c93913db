#include "app/sys/account.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "app/sys/file.hpp"

namespace goldsmith::sys {
namespace {

std::optional<NamedAccount> find(const char* name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16U << 10> texts{};
  ::getpwnam_r(name, &entry, texts.data(), texts.size(), &found);
  if (found == nullptr || entry.pw_uid == 0) return std::nullopt;
  return NamedAccount{name, {entry.pw_uid, entry.pw_gid}};
}

}  // namespace

std::optional<NamedAccount> unprivileged_account(const char* name) {
  if (::geteuid() != 0) return std::nullopt;
  for (const char* each : {name, "nobody"}) {
    if (auto account = find(each)) return account;
  }
  throw FileError(name, "no such user, and no nobody", ENOENT);
}

void become_owner_of(const std::filesystem::path& folder) {
  struct stat status{};
  if (::geteuid() != 0 || ::lstat(folder.c_str(), &status) != 0 || status.st_uid == 0) return;
  if (::setgroups(0, nullptr) != 0 ||
      ::setresgid(status.st_gid, status.st_gid, status.st_gid) != 0 ||
      ::setresuid(status.st_uid, status.st_uid, status.st_uid) != 0) {
    throw FileError(folder, "can't become its owner", errno);
  }
}

}  // namespace goldsmith::sys
