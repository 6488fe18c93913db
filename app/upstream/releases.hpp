// Finds the release of a component that is to be mirrored.
#pragma once

#include <optional>

#include "app/domain/component.hpp"
#include "app/upstream/github.hpp"
#include "app/upstream/release.hpp"

namespace goldsmith::upstream {

// `version`: absent = the newest that is neither a draft nor a pre-release; a pre-release must be
// named. Throws FetchError, which lists the available versions or files, and what Github throws.
// Precondition: the upstream is not empty.
Release find_release(const domain::Upstream& upstream,
                     const std::optional<domain::Version>& version, Github& github);

}  // namespace goldsmith::upstream
