// A fleet of servers as others tell of it: what `goldsmith-keeper status --json` printed of each,
// or links to the server creator (decision O28). What is read is not trusted.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/selection.hpp"

namespace goldsmith::cli {

inline constexpr std::size_t kMostServers = 10'000;
inline constexpr std::size_t kMostOfFleet = 256U << 20;    // bytes of all that is read
inline constexpr std::size_t kMostOfServer = 4U << 20;     // bytes of one server
inline constexpr std::size_t kMostPluginsOfServer = 2000;  // and components

struct FleetServer {
  std::string name;  // what its object or line says, or its number
  // Of a link: what was asked for, a query string; or a build hash.
  std::string link = {};
  // Of an object, in its order: what is there and loaded; versions "" where they are not known.
  std::vector<creator::Token> components = {};
  std::vector<creator::Token> plugins = {};
  std::string problem = {};  // why nothing else is known; "" = it is
};

// Objects one after the other, over several lines or not, or arrays of them, or lines with a link,
// a query string, a build hash, or NAME and one of these. Blank lines, and lines that begin with
// "#", count for nothing. Throws Failure if there is more than the limits above allow.
std::vector<FleetServer> read_fleet(std::istream& in);

}  // namespace goldsmith::cli
