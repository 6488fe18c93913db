// Who reads the archives of strangers.
#pragma once

#include <optional>
#include <string>

#include "app/sys/process.hpp"

namespace goldsmith::mirror {

struct UnpackAccount {
  std::string name;
  sys::Account account;
};

// The account to which root drops before anything of an archive is read; absent for other callers,
// who have nothing to drop. It is `goldsmith-mirror`, which the package creates for this alone: it
// owns no file and shares no process with anybody, so that what breaks out of the sandbox can
// neither touch the caches (goldsmith-build's) nor the workers (goldsmith-api's). Where that user
// is missing, as in a development stack, it is `nobody`: other services may run as it, but a fixed
// user with no files at all is better than a free number, which another program could choose, too.
// Throws sys::FileError if there is neither.
std::optional<UnpackAccount> unpack_account();

}  // namespace goldsmith::mirror
