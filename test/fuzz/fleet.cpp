// What others tell of their servers: goldsmith fleet check reads it.
#include "app/cli/fleet.hpp"

#include <sstream>

#include "app/cli/command.hpp"
#include "app/domain/names.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void check_tokens(const std::vector<creator::Token>& tokens) {
  require(tokens.size() <= cli::kMostPluginsOfServer, "they are few");
  for (const creator::Token& token : tokens) {
    require(domain::Slug::parse(token.slug).has_value(), "a slug is one");
    require(token.version.empty() || domain::Version::parse(token.version), "so is a version");
  }
}

}  // namespace

FUZZ_TARGET(fleet, "app/cli/fleet.cpp") {
  std::istringstream in{std::string(input)};
  try {
    const std::vector<cli::FleetServer> servers = cli::read_fleet(in);
    require(servers.size() <= cli::kMostServers, "servers are bounded");
    for (const cli::FleetServer& server : servers) {
      require(!server.name.empty(), "each has a name");
      require(server.problem.empty() || server.components.empty(), "a problem is all of it");
      check_tokens(server.components);
      check_tokens(server.plugins);
    }
  } catch (const cli::Failure&) {
    require(input.size() > cli::kMostServers, "only too many are refused");
  }
}
