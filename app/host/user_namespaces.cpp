#include "app/host/user_namespaces.hpp"

#include <fstream>

namespace goldsmith::host {

std::string what_forbids_user_namespaces(const std::filesystem::path& settings) {
  // Debian's kernel has the second one, Ubuntu's also the first.
  constexpr struct {
    const char* path;
    const char* name;
    int forbids;
    const char* way_out;
  } kSettings[] = {
      {"kernel/apparmor_restrict_unprivileged_userns",
       "kernel.apparmor_restrict_unprivileged_userns", 1,
       "AppArmor allows them to programs with a profile alone: "
       "/usr/share/doc/goldsmith/examples/apparmor is one for "
       "/etc/apparmor.d"},
      {"kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", 0,
       "set it to 1 in /etc/sysctl.d"},
      {"user/max_user_namespaces", "user.max_user_namespaces", 0, "raise it in /etc/sysctl.d"},
  };
  for (const auto& [path, name, forbids, way_out] : kSettings) {
    std::ifstream file(settings / path);
    int value = 0;
    if (file >> value && value == forbids) {
      return std::string("user namespaces are not allowed here by sysctl ") + name + " = " +
             std::to_string(value) + "; " + way_out;
    }
  }
  return "user namespaces are not allowed here: look at RestrictNamespaces= of the service, or at "
         "what the container allows";
}

}  // namespace goldsmith::host
