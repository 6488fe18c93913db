#include "app/mirror/account.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "app/sys/file.hpp"

namespace goldsmith::mirror {
namespace {

std::optional<UnpackAccount> find(const char* name) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16U << 10> texts{};
  ::getpwnam_r(name, &entry, texts.data(), texts.size(), &found);
  if (found == nullptr || entry.pw_uid == 0) return std::nullopt;
  return UnpackAccount{name, {entry.pw_uid, entry.pw_gid}};
}

}  // namespace

std::optional<UnpackAccount> unpack_account() {
  if (::geteuid() != 0) return std::nullopt;
  for (const char* name : {"goldsmith-mirror", "nobody"}) {
    if (auto account = find(name)) return account;
  }
  throw sys::FileError("goldsmith-mirror", "no such user, and no nobody", ENOENT);
}

}  // namespace goldsmith::mirror
