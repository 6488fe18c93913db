// From where in its archives each file of a release comes, as goldsmith-unpack says it.
#pragma once

#include <cstddef>
#include <vector>

#include "app/domain/component.hpp"
#include "app/sys/config.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::mirror {

// Reads the lines "NUMBER PATH" of goldsmith-unpack, untrusted text: one for each of `files` files,
// NUMBER below `archives`. Throws InvalidOutput and sys::FileError.
std::vector<domain::FileOrigin> read_origins(const sys::UniqueFd& fd, std::size_t files,
                                             std::size_t archives, const sys::MirrorConfig& limits);

}  // namespace goldsmith::mirror
