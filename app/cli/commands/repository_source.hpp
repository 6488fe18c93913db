// Which repository a name leads to, asked of its forge (decision P27).
#pragma once

#include <optional>

#include "app/cli/commands/followed.hpp"
#include "app/cli/context.hpp"
#include "app/domain/source_identity.hpp"
#include "app/mirror/repositories.hpp"

namespace goldsmith::cli {

// Takes its name of now, also for the plugins of the directory, unless that is another repository
// than the one that was mirrored. std::nullopt where nobody can tell. Functions throw
// mirror::FetchError.
std::optional<mirror::GithubRepository> identify(FollowedRepository& repository,
                                                 mirror::Repositories& repositories,
                                                 Context& context);

// What it is now, beside what was mirrored before. Where nothing was it is trusted, and so is what
// was not known then. `is_trusted`: a person says so.
domain::SourceCheck check_source(const FollowedRepository& repository,
                                 const mirror::Snapshot& snapshot,
                                 const std::optional<mirror::GithubRepository>& found,
                                 bool is_trusted, mirror::Repositories& repositories);

}  // namespace goldsmith::cli
