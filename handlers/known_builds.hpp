// Builds and archives that a request names by their hash (decisions O13, S31, S39).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/creator/archive_digests.hpp"
#include "handlers/builds.hpp"

namespace goldsmith::handlers {

// A not_found, with what would help.
domain::Failure gone(std::string_view reason);

// plan_of(), or what makes the plan of another archive of a request.
using MakePlan = Planned (*)(Services& services, const Call& call);

// The plan of what was handed out under a hash, as `make` makes it from the selection that was
// recorded then; gone() if that is not known, or gives something else now.
Planned known_plan(Services& services, const Call& call, const std::string& hash,
                   const std::optional<creator::ArchiveDigests::Known>& known,
                   MakePlan make = plan_of);

// The same of a build that the parameter `name` has the hash of; the not_found ends with `remedy`,
// and what is no hash is a bad_request. A partial archive is no build: its selection gives one with
// another hash.
Planned plan_of_build(Services& services, const Call& call, std::string_view name,
                      std::string_view text, std::string_view remedy);

// plan_of() a request whose parameter `build` is this.
Planned asked_plan(Services& services, const Call& call, std::string_view build);

}  // namespace goldsmith::handlers
