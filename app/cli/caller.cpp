#include "app/cli/caller.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace goldsmith::cli {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string user_name(uid_t user) {
  const passwd* const found = ::getpwuid(user);
  return found ? found->pw_name : std::to_string(user);
}

std::string caller_name() { return user_name(::geteuid()); }

std::string sudo_caller_name() {
  const char* const name = ::geteuid() == 0 ? std::getenv("SUDO_USER") : nullptr;
  return name ? name : "";
}

}  // namespace goldsmith::cli
