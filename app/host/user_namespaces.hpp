// Whether this host lets programs without rights make user namespaces, which sandboxes consist of.
#pragma once

#include <filesystem>
#include <string>

namespace goldsmith::host {

// Which setting of the kernel keeps them from it, with its value, and what to do; where none does,
// where else to look. `settings` is /proc/sys.
std::string what_forbids_user_namespaces(const std::filesystem::path& settings = "/proc/sys");

}  // namespace goldsmith::host
