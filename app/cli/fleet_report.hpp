// Which servers of a fleet run what is held, known to fail, defective or outdated (decision O28).
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/fleet.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::cli {

// The worst first.
enum class Concern { unreadable, fails, held, defect, outdated, unknown };
inline constexpr std::size_t kConcerns = 6;
std::string_view to_string(Concern concern);

struct FleetFinding {
  Concern concern = Concern::unknown;
  std::string what;    // "SLUG VERSION", of a plugin "plugin:SLUG VERSION"; "" = the server
  std::string reason;  // for people

  friend auto operator<=>(const FleetFinding&, const FleetFinding&) = default;
};

// What runs on a server, or would with what a link asks for.
struct Running {
  std::vector<creator::Token> components = {};
  std::vector<creator::Token> plugins = {};
  // Why the server creator refuses what the link asks for.
  std::optional<creator::InvalidSelection> refused = {};
  std::string problem = {};  // why nothing is known; "" = it is
};

// `selection_of`: the query string of a build hash; "" if it is not known.
Running running_on(const FleetServer& server, const domain::Catalog& catalog,
                   const std::function<std::string(const std::string& build_hash)>& selection_of);

// What the directory has of a plugin.
struct FleetPlugin {
  std::string newest;                                // published; "" = none is
  std::set<std::string, std::less<>> versions = {};  // the published ones of those in the fleet
  // Why a version does not run, by it and the line of AMX Mod X.
  std::map<std::pair<std::string, std::string>, std::string> faults = {};
};
// By slug; one that the directory lacks is not there.
using FleetPlugins = std::map<std::string, FleetPlugin, std::less<>>;

// Sorted, each once; none of a server that is as it should be.
std::vector<FleetFinding> findings_of(const Running& running, const domain::Catalog& catalog,
                                      const FleetPlugins& plugins);

}  // namespace goldsmith::cli
