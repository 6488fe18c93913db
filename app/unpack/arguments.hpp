// The command line of goldsmith-unpack that reads archives. goldsmith alone writes it
// (app/mirror/unpacker.cpp).
//
//   --archive FD --spill FD --name NAME     of each file of the release, in order; FD is an open
//                                           descriptor's number
//   --output FD --origins FD
//   --map-from PATH --map-to PATH, --map-file GLOB --map-to PATH, --drop GLOB, --executable GLOB
//                                           the install rules
//   --names any                             names in archives need not be UTF-8
//   --unpacked-bytes N, --entries N, --path-bytes N, --ratio N     the limits
//
// On standard output it says in one line how it went: "done DROPPED", "refused NUMBER REASON" (of
// a file of the release, from 1), "too much NUMBER REASON" (of what unpacks to more bytes than it
// may) or "failed REASON".
#pragma once

#include <string_view>
#include <vector>

#include "app/unpack/unpack.hpp"

namespace goldsmith::unpack {

// Owns the descriptors. Throws std::invalid_argument.
Job parse_arguments(const std::vector<std::string_view>& arguments);

}  // namespace goldsmith::unpack
