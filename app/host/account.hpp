// Who handles the work of strangers when root asks for it (decision O19).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/host/process.hpp"

namespace goldsmith::host {

// Both are the package's.
inline constexpr const char* kBuildAccount = "goldsmith-build";    // compiles
inline constexpr const char* kMirrorAccount = "goldsmith-mirror";  // upstream archives, signatures

struct NamedAccount {
  std::string name;
  Account account;
};

// The account to which root drops before anything of a stranger is compiled or read; absent for
// other callers, who have nothing to drop. It is the named one. Where that user is missing, as in a
// development stack, it is `nobody`: other services may run as it, but a fixed user with no files
// at all is better than a free number, which another program could choose, too. Throws FileError if
// there is neither.
std::optional<NamedAccount> unprivileged_account(const char* name);

// If this process is root's and `folder` another user's, the process becomes that user for good: in
// a folder whose owner may move it away and leave a link, root would follow that. Links of root are
// followed. Does nothing if the folder does not exist. Throws FileError.
void become_owner_of(const std::filesystem::path& folder);
// Whether become_owner_of() would change who this process is.
bool is_root_in_folder_of_another(const std::filesystem::path& folder);
// Whether it is there, and neither this process's user nor root owns it.
bool is_folder_of_another(const std::filesystem::path& folder);

}  // namespace goldsmith::host
